import type { Tool, ToolBox, ToolOutput } from '../../lib/ports/tools.ts';
import { orAborted } from './engine.ts';
import type { Process } from './process.ts';

/** A tool of every world, by what it does. */
interface Kind {
  readOnly: boolean;
  ms: number;
  fails?: true;
}

const KINDS: Readonly<Record<string, Kind>> = {
  find: { readOnly: true, ms: 300 },
  write: { readOnly: false, ms: 400 },
  slow: { readOnly: true, ms: 40_000 },
  broken: { readOnly: true, ms: 200, fails: true },
};

/** A run of a tool, the moment that it takes effect. */
export interface ToolRun {
  process: Process;
  name: string;
  /** Names the call: request and number in it. */
  of: string;
  readOnly: boolean;
}

/** The tools of a world: each run is a call to the outside, and gives a name that can be found again. */
export class WorldTools {
  runs = 0;
  readonly #ran: (run: ToolRun) => void;

  constructor(ran: (run: ToolRun) => void) {
    this.#ran = ran;
  }

  /** The tools as one process uses them. */
  box(process: Process): ToolBox {
    const tools = Object.entries(KINDS).map(([name, kind]) => this.#tool(process, name, kind));
    return { tools, close: async () => undefined };
  }

  #tool(process: Process, name: string, { readOnly, ms, fails }: Kind): Tool {
    const failed = (text: string) => (): ToolOutput => ({ text, error: true });
    return {
      ...{ name, title: `desk: ${name}`, description: name, inputSchema: { type: 'object' }, grant: `desk/${name}` },
      readOnly,
      run: (input, signal) => {
        const { of } = input as { of: string };
        const effect = async (): Promise<ToolOutput> => {
          this.#ran({ process, name, of, readOnly });
          return fails ? { text: 'It is broken.', error: true } : { text: `r${++this.runs} done` };
        };
        const made = process.call<ToolOutput>({
          ...{ name: 'tool.run', latencyMs: ms, timeoutMs: Math.max(20_000, 2 * ms), effect },
          ...{ refused: failed('The server did not take it.'), unknown: failed('The server did not answer.') },
        });
        return orAborted(process, made, signal);
      },
    };
  }
}
