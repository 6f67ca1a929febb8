/** One thing that was looked at, for an administrator. Never holds a secret. */
export interface Finding {
  /** `note`: nothing is wrong, but it is good to know. */
  status: 'ok' | 'note' | 'problem';
  /** One sentence: how it is. */
  what: string;
  /** One sentence: what to do about it. */
  todo?: string;
}

export const fine = (what: string): Finding => ({ status: 'ok', what });
export const note = (what: string, todo?: string): Finding => ({ status: 'note', what, ...(todo && { todo }) });
export const problem = (what: string, todo: string): Finding => ({ status: 'problem', what, todo });
