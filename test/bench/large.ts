import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { isMainThread, parentPort, Worker } from 'node:worker_threads';
import { readHistory } from '../../lib/conversations/history.ts';
import { systemPrompt } from '../../lib/conversations/prompt.ts';
import { transcript } from '../../lib/conversations/transcript.ts';
import type { Draft } from '../../lib/domain/events.ts';
import { evolve } from '../../lib/domain/evolve.ts';
import { initialState, type State } from '../../lib/domain/state.ts';
import type { Log, StoredEvent } from '../../lib/ports/log.ts';
import type { Row } from './marks.ts';
import { figure, type Plan, race, timed } from './measure.ts';

const PLAN: Plan = { warmUp: 10, rounds: 5, perRound: 10 };
/** 200,000 tokens at four characters each, in turns of 4,000 characters. */
const TURNS = 200;
const WORDS = 'Whales are mammals: they breathe air. '.repeat(53);
const PLACE = { tenant: 'bench', place: 'large' };

function draftsOf(n: number, state: State): Draft[] {
  const claim = { turn: `turn${n}`, attempt: 1 };
  const seq = state.seq + 1;
  const delivery = { key: `m:${n}`, update: String(n), sentAt: n };
  const to = { chat: 'c' };
  const { memory } = state;
  return [
    {
      type: 'message',
      data: { delivery, person: { id: 'p' }, to, content: { text: WORDS }, memory: 0, conversation: 0 },
    },
    {
      type: 'turn.started',
      data: { ...claim, leaseUntil: n, kind: 'answer', messages: [seq], memory, options: {}, tries: 1 },
    },
    {
      type: 'turn.ended',
      data: { ...claim, memory: 0, messages: [seq], leaseUntil: n, text: WORDS, outcome: 'complete' },
    },
    { type: 'reply.delivered', data: claim },
  ];
}

/** A log of that size, up to the claim of one more turn, each event as a store keeps it: as JSON. */
function largeLog(): { stored: string[]; state: State } {
  let state = initialState;
  const stored: string[] = [];
  for (let n = 1; n <= TURNS + 1; n++) {
    for (const draft of draftsOf(n, state).slice(0, n > TURNS ? 2 : 4)) {
      const event = { ...draft, seq: state.seq + 1, id: `e${state.seq}`, at: n };
      state = evolve(state, event);
      stored.push(JSON.stringify({ ...event, state }));
    }
  }
  return { stored, state };
}

/** What a worker does of its own for one request: reads the log, folds it, builds what the model reads. */
async function requestOf({ stored, state }: ReturnType<typeof largeLog>): Promise<string> {
  const log = {
    async *range() {
      for (const one of stored) yield JSON.parse(one) as StoredEvent;
    },
  } as unknown as Log;
  const { turn } = state;
  const read = turn && (await readHistory(log, PLACE, turn, state.seq));
  if (!turn || !read || read.tooLong) throw new Error('Nothing to build a request of');
  const { events } = read;
  return JSON.stringify({ system: systemPrompt(state, [], events), messages: transcript(turn, events, 'main/one') });
}

/** A worker's own work for a turn with a history of 200,000 tokens, beside what its request takes to arrive and be parsed. */
export async function measureLarge(): Promise<Row[]> {
  const log = largeLog();
  const body = await requestOf(log);
  const server = new Worker(new URL(import.meta.url));
  const port = await new Promise<number>((resolve) => server.once('message', resolve));
  const send = async () => {
    const answer = await fetch(`http://127.0.0.1:${port}/`, { method: 'POST', body });
    if ((await answer.text()) !== String(2 * TURNS + 1)) throw new Error('The request did not arrive whole');
  };
  const rounds = await race({ ours: () => timed(() => requestOf(log)), floor: () => timed(send) }, PLAN);
  await server.terminate();
  return [{ name: 'turn.large', unit: 'ms', ...figure(rounds, 'ours', 'floor') }];
}

/** The provider: reads a request whole and says how many messages came. */
function serve(): void {
  const server = createServer(async (request, response) => {
    const text = Buffer.concat(await request.toArray()).toString();
    response.end(String((JSON.parse(text) as { messages: unknown[] }).messages.length));
  });
  server.listen(0, '127.0.0.1', () => parentPort?.postMessage((server.address() as AddressInfo).port));
}

if (!isMainThread) serve();
