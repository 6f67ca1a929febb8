/** Ends the command with a sentence on stderr. `exitCode` is 2 if the command itself was not right. */
export class Failure extends Error {
  readonly exitCode: number;

  constructor(message: string, exitCode = 1) {
    super(message);
    this.name = 'Failure';
    this.exitCode = exitCode;
  }
}

/** A command that was not written as it has to be. */
export function usage(message: string): Failure {
  return new Failure(`${message}\nconch help lists the commands.`, 2);
}

/** A request that found nobody who listens. */
export function notRunning(url: string): Failure {
  return new Failure(`Conch is not running at ${url}; start it with npm start.`);
}
