import { EXIT_PLAN_MODE } from '../../lib/domain/toolCalls.ts';
import type { EnginePart, ProviderFault } from '../../lib/ports/engine.ts';

/** A failure as every engine reports it. */
export function providerFailure(fault: ProviderFault, retryAfterMs?: number): Error {
  return Object.assign(new Error(`The provider failed: ${fault}`), {
    fault,
    ...(retryAfterMs ? { retryAfterMs } : {}),
  });
}

/** One request, as a script sees it. */
export interface Say {
  /** Requests of this turn so far, this one included, without those that ask for a summary. */
  tries: number;
  /** Steps with calls that stand behind the newest message, and the names in them. */
  steps: number;
  called: readonly string[];
  /** The request begins with a summary. */
  isCompacted: boolean;
  /** `exit_plan_mode` is offered. */
  mayPlan: boolean;
  /** A step in the provider's own form: by whom, and by which model. */
  own: { by: string };
  /** Waits, then gives a piece of text: the answer's own name first, so that it can be found again. */
  chunk(afterMs: number, text: string): Promise<EnginePart>;
  wait(ms: number): Promise<void>;
  /** A call of this tool. Calls are numbered anew in each step, as some providers do it. */
  call(name: string, n?: number): EnginePart;
}

/** What the provider does, by the word in brackets of the newest message. */
type Script = (say: Say) => AsyncIterable<EnginePart>;

const usage = { inputTokens: 10, outputTokens: 5 };
/** More than 85% of the window of the demo's model. */
const nearlyFull = { inputTokens: 28_000, outputTokens: 5 };
const FINISH: EnginePart = { type: 'finish', usage, reason: 'stop' };

async function* chunks(say: Say, times: number, everyMs: number, text: string): AsyncGenerator<EnginePart> {
  for (let n = 0; n < times; n++) yield await say.chunk(everyMs, text);
  yield FINISH;
}

const words = (say: Say) => chunks(say, 1, 400, 'a few words.');

async function* failing(say: Say, fault: ProviderFault, afterMs: number, retryAfterMs?: number) {
  await say.wait(afterMs);
  yield* broken(fault, retryAfterMs);
}

function broken(fault: ProviderFault, retryAfterMs?: number): EnginePart[] {
  throw providerFailure(fault, retryAfterMs);
}

async function* cut(say: Say, times: number, text: string): AsyncGenerator<EnginePart> {
  for (let n = 0; n < times; n++) yield await say.chunk(1_200, text);
  throw providerFailure('unreachable');
}

async function* empty(say: Say): AsyncGenerator<EnginePart> {
  await say.wait(300);
  yield FINISH;
}

async function* full(say: Say): AsyncGenerator<EnginePart> {
  yield await say.chunk(400, 'a lot.');
  yield { type: 'finish', usage: nearlyFull, reason: 'stop' };
}

/** A step that says something and calls these tools. */
async function* calling(say: Say, names: readonly string[], used = usage): AsyncGenerator<EnginePart> {
  yield await say.chunk(300, 'I look.');
  for (const [n, name] of names.entries()) yield say.call(name, n);
  yield { type: 'finish', usage: used, reason: 'tools', own: say.own };
}

/** One step after the other, then words. */
function stepping(say: Say, steps: readonly (readonly string[])[]): AsyncIterable<EnginePart> {
  const names = steps[say.steps];
  return names ? calling(say, names) : words(say);
}

/** Every script that a message can name. */
export const SCRIPTS: Record<string, Script> = {
  short: words,
  /** Mid-length: long enough to do something in mid-turn. */
  steady: (say) => chunks(say, 6, 1_000, 'a few words. '),
  /** As long as a lease may go without a renewal, nearly. */
  minute: (say) => chunks(say, 11, 2_000, 'word '),
  /** Longer than the time after which a lease is renewed. */
  slow: (say) => chunks(say, 18, 2_500, 'word '),
  /** Longer than one message of the chat app. */
  parts: (say) => chunks(say, 6, 900, `${'long words '.repeat(5)} `),
  unauthorized: (say) => failing(say, 'unauthorized', 300),
  limited: (say) => (say.tries === 1 ? failing(say, 'rate-limited', 300, 20_000) : chunks(say, 1, 400, 'in the end.')),
  overloaded: (say) => failing(say, 'overloaded', 300),
  cut: (say) => (say.tries === 1 ? cut(say, 2, 'half a ') : chunks(say, 1, 400, 'whole.')),
  /** A long answer that breaks off; the next one is short. */
  shrinking: (say) => (say.tries === 1 ? cut(say, 5, 'long words '.repeat(6)) : chunks(say, 1, 400, 'short.')),
  empty: (say) => empty(say),
  'empty-once': (say) => (say.tries === 1 ? empty(say) : chunks(say, 1, 400, 'after all.')),
  hanging: (say) => (say.tries === 1 ? failing(say, 'unreachable', 70_000) : chunks(say, 1, 400, 'at last.')),
  /** A tool that only reads, then two at once. */
  reads: (say) => stepping(say, [['find'], ['find', 'find']]),
  /** A tool, then an answer that takes its time. */
  'reads-steady': (say) => (say.steps > 0 ? chunks(say, 6, 1_000, 'a few words. ') : calling(say, ['find'])),
  /** A tool that changes something. */
  writes: (say) => stepping(say, [['write']]),
  /** Both in one step, then one that changes something again. */
  both: (say) => stepping(say, [['find', 'write'], ['write']]),
  /** A tool that takes longer than a lease goes without a renewal. */
  looks: (say) => stepping(say, [['slow']]),
  /** A tool that fails, and one that is not there. */
  fumbles: (say) => stepping(say, [['broken', 'nowhere']]),
  /** A plan, where there is plan mode. */
  plans: (say) => (say.mayPlan && say.steps === 0 ? calling(say, [EXIT_PLAN_MODE]) : words(say)),
  /** A plan, then what changes something. */
  'plans-writes': (say) => {
    if (say.mayPlan && say.steps === 0) return calling(say, [EXIT_PLAN_MODE]);
    return say.called.includes('write') ? words(say) : calling(say, ['write']);
  },
  /** The next turn compacts before it asks. */
  full,
  /** A long text with a call behind which the window is nearly full: the turn compacts in its middle. */
  filling: (say) => (say.isCompacted || say.steps > 0 ? words(say) : calling(say, ['find'], nearlyFull)),
  /** The same with a tool that takes long, so that others write meanwhile. */
  'filling-slowly': (say) => (say.isCompacted || say.steps > 0 ? words(say) : calling(say, ['slow'], nearlyFull)),
  /** A tool that takes long, then an answer behind which the next turn compacts. */
  'looks-full': (say) => (say.steps > 0 ? full(say) : calling(say, ['slow'])),
  'too-long': (say) => (say.tries === 1 ? failing(say, 'too-long', 300) : words(say)),
};

/** What a request without a known script gets. */
export const USUAL: Script = words;

/** Scripts of a summary, named in what the person asks to keep in mind: `undefined` is one that fails. */
export const SUMMARY_MS: Readonly<Record<string, number | undefined>> = {
  ...{ usual: 600, long: 9_000, lost: undefined },
};
