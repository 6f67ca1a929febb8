/**
 * The base of Conch's own errors. Expected outcomes are returned; what is thrown is a broken invariant or failed I/O.
 * Messages never hold a secret, a person's words or a provider's raw body.
 */
export class ConchError extends Error {
  /** A stable name for logs and API answers. */
  readonly code: string;
  /** Whether the same call may succeed later. */
  readonly retryable: boolean;

  constructor(code: string, message: string, options: { retryable?: boolean; cause?: unknown } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = new.target.name;
    this.code = code;
    this.retryable = options.retryable ?? false;
  }
}

/** Thrown when a place's state was written by a newer version: it is not touched, the caller tries again later. */
export class NewerStateError extends ConchError {
  constructor(version: number) {
    super('newer-state', `The state has version ${version}, newer than this code`, { retryable: true });
  }
}

/** Thrown when a chat app surely took nothing, and may later: its affair, and no fault of this deployment. */
export class ReplyRefusedError extends ConchError {
  constructor() {
    super('reply-refused', 'The app refused the reply for now', { retryable: true });
  }
}

/** Thrown at start, or while a function is built, when a setting is missing or wrong. Names the setting, never its value. */
export class SettingsError extends ConchError {
  constructor(message: string, cause?: unknown) {
    super('settings', message, { cause });
  }
}
