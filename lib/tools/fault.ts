import { ConchError } from '../domain/errors.ts';

/**
 * What went wrong with a tool server. The first ones surely left nothing done there; after the others a call may have
 * been carried out.
 */
export type ToolFault =
  | 'forbidden' // its address leads where Conch does not go
  | 'sealed' // its headers cannot be opened
  | 'unreachable' // no connection
  | 'redirected' // on and on, or where no request is sent to
  | 'refused' // the headers are wrong or missing
  | 'not-found' // nothing there
  | 'unsupported' // it does not offer what was asked for
  | 'busy' // it takes no request now
  | 'asks' // it wants something of the person first
  | 'failed' // another HTTP status
  | 'broken' // the connection ended before the answer
  | 'slow' // no answer in time
  | 'large' // the answer has no end
  | 'unreadable' // the answer is not MCP
  | 'said'; // an error of the protocol; `said` is what it says

const NOTHING_DONE: ReadonlySet<ToolFault> = new Set([
  'forbidden',
  'sealed',
  'unreachable',
  'redirected',
  'refused',
  'not-found',
  'unsupported',
  'busy',
]);

/** As sentences about the server, to its administrator and to a model alike. */
const WORDS: Record<Exclude<ToolFault, 'said'>, string> = {
  forbidden: 'Its address leads to a place that is not allowed here.',
  sealed: 'Its credentials cannot be opened here.',
  unreachable: 'It cannot be reached.',
  redirected: 'It redirects to where no request can be sent to.',
  refused: 'It refused the credentials.',
  'not-found': 'There is nothing at its address.',
  unsupported: 'It does not offer this.',
  busy: 'It takes no requests right now.',
  asks: 'It asks the person for something more, which is not possible here.',
  failed: 'It failed.',
  broken: 'The connection ended before the answer came.',
  slow: 'It did not answer in time.',
  large: 'Its answer is too large.',
  unreadable: 'Its answer is not what the Model Context Protocol wants.',
};

/** Longest text of an error that a server gives, UTF-16 units. */
const SAID_CHARS = 1_000;

/** Thrown by whatever speaks to a tool server. The message never holds an address, a header or a body. */
export class ToolServerError extends ConchError {
  readonly fault: ToolFault;
  /** What the server's own error says: the server's words, to be shown as such. */
  readonly said?: string;
  readonly status?: number;
  readonly #unsent: boolean;

  /** @param more `unsent`: the call itself was not sent yet. */
  constructor(fault: ToolFault, more: { said?: string; status?: number; unsent?: true; cause?: unknown } = {}) {
    super(`tool-server-${fault}`, fault === 'said' ? 'The tool server gave an error' : WORDS[fault], {
      cause: more.cause,
    });
    this.fault = fault;
    this.#unsent = more.unsent === true;
    if (more.said !== undefined) this.said = more.said.slice(0, SAID_CHARS).toWellFormed();
    if (more.status !== undefined) this.status = more.status;
  }

  /** Whether a call that met this may have been carried out. */
  get mayHaveRun(): boolean {
    return !this.#unsent && !NOTHING_DONE.has(this.fault) && this.fault !== 'said';
  }

  /** The same, met before the call was sent. */
  get beforeCall(): ToolServerError {
    const { fault, said, status } = this;
    const more = { ...(said === undefined ? {} : { said }), ...(status === undefined ? {} : { status }) };
    return new ToolServerError(fault, { ...more, unsent: true, cause: this.cause });
  }

  /** A sentence or two on the server. */
  get words(): string {
    if (this.fault === 'said') return `It says: ${this.said?.trim() || 'nothing'}`;
    return this.status === undefined ? WORDS[this.fault] : `${WORDS[this.fault]} (HTTP status ${this.status})`;
  }
}
