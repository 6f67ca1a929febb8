/** What a button carries: the action's id, and the number of the choice from 0. */
export interface Pressed {
  action: string;
  choice: number;
}

/** A changed client can send any text, and is still answered: it names no action (SPEC 11.2). */
const NOT_OURS: Pressed = { action: '', choice: 0 };

/** Reads what a button carries: `a:`, the action's id, `:` and the number of the choice. */
export function pressedChoice(value: string | null | undefined): Pressed {
  const match = /^a:([A-Za-z0-9_-]{1,24}):(\d{1,2})$/.exec(value ?? '');
  return match?.[1] === undefined ? NOT_OURS : { action: match[1], choice: Number(match[2]) };
}
