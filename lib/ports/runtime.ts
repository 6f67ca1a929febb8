/** Time, ids, chance and waiting, so that no use-case reaches for them itself. */
export interface Runtime {
  /** Milliseconds since the epoch. */
  now(): number;
  /** A fresh unguessable id, url-safe, 16 characters. */
  newId(): string;
  /** From 0 up to 1. */
  random(): number;
  /** Resolves after `ms`; rejects with the signal's reason when it is aborted. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
  /** Aborted when the process is about to end: turns that run are handed over, and none is begun. */
  readonly ending?: AbortSignal;
}

/** Fields that may stand in a log line: names, counts, times. Never a person's words, a URL or a secret. */
export type LogFields = Record<string, string | number | boolean | undefined>;

export interface Logger {
  info(what: string, fields?: LogFields): void;
  warn(what: string, fields?: LogFields): void;
  /** Logs the error's names, codes and messages along its causes. */
  error(what: string, error: unknown, fields?: LogFields): void;
}
