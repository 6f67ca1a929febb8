import {
  type Conversation,
  contentOf,
  type Delivery,
  type Event,
  type EventData,
  type EventOf,
  type EventType,
  knownEvent,
  type Memory,
  type OptionsChange,
  type UnknownEvent,
} from './events.ts';
import { HOUR_MS, MESSAGES_PER_MINUTE, MINUTE_MS, WRONG_CLAIMS } from './limits.ts';
import { remember } from './ring.ts';
import { initialState, STATE_VERSION, type State, type Turn } from './state.ts';

type Reducer<T extends EventType> = (state: State, event: EventOf<T>) => State;

function without<K extends keyof State>(state: State, ...keys: K[]): State {
  const rest = { ...state };
  for (const key of keys) delete rest[key];
  return rest;
}

/** `state` with `key` set, or removed where the value is undefined: a stored fold never holds undefined. */
function withValue<K extends keyof State>(state: State, key: K, value: State[K] | undefined): State {
  return value === undefined ? without(state, key) : { ...state, [key]: value };
}

function emptyMemory(seq: number): Memory {
  return { id: seq, upTo: seq, messages: 0 };
}

/** The turn that this worker's event belongs to, if the event's claim is the one in force. */
function heldTurn(state: State, data: { turn: string; attempt: number }): Turn | undefined {
  return state.turn?.id === data.turn && state.turn.attempt === data.attempt ? state.turn : undefined;
}

function updateTurn(state: State, data: { turn: string }, change: (turn: Turn) => Turn): State {
  return state.turn?.id === data.turn ? { ...state, turn: change(state.turn) } : state;
}

/** A message of the person: it waits for a turn, makes a clear final (SPEC 5.5), moves the place on from a question. */
function receive(state: State, { seq, at, data }: Event & { data: { delivery: Delivery } }): State {
  const { delivery } = data;
  const recent = (state.sent ?? []).filter((sentAt) => sentAt > at - MINUTE_MS);
  return {
    // Whoever is taken messages from is no stranger: put out later, they are told once more.
    ...without(state, 'clear', 'question', 'strangerTold'),
    sent: [...recent, at].slice(-MESSAGES_PER_MINUTE),
    begun: true,
    first: state.first ?? seq,
    waiting: [...state.waiting, seq],
    lastMessageAt: Math.max(state.lastMessageAt, delivery.sentAt),
    memory: { ...state.memory, messages: state.memory.messages + 1, last: seq },
  };
}

/** What `/new` leaves and Go back puts back. */
export function conversationOf(state: State): Conversation {
  return {
    conversation: state.conversation,
    memory: state.memory,
    ...(state.first === undefined ? {} : { first: state.first }),
    ...(state.goal === undefined ? {} : { goal: state.goal }),
    ...(state.options.mode === 'plan' ? { plan: true } : {}),
    ...(state.reading === undefined ? {} : { reading: state.reading }),
  };
}

function leavePlan(state: State): State {
  if (state.options.mode !== 'plan') return state;
  const { mode: _plan, ...options } = state.options;
  const before = state.modeBeforePlan;
  return {
    ...without(state, 'modeBeforePlan'),
    options: before === undefined ? options : { ...options, mode: before },
  };
}

function changeOptions(state: State, change: OptionsChange): State {
  const options: Record<string, unknown> = { ...state.options };
  for (const [key, value] of Object.entries(change)) {
    if (value === undefined) continue;
    if (value === null) delete options[key];
    else options[key] = value;
  }
  const next = { ...state, options };
  if (change.mode === undefined) return next;
  if (change.mode !== 'plan') return without(next, 'modeBeforePlan');
  return state.options.mode === 'plan' ? next : withValue(next, 'modeBeforePlan', state.options.mode);
}

/** A memory, and how full it is. */
type Kept = Pick<Conversation, 'memory' | 'reading'>;

/** `change` made to this memory wherever it is kept: in force, behind the newest clear, behind `/new` (DESIGN 3a). */
function changeMemory(state: State, id: number, change: (kept: Kept) => Kept): State {
  const apply = <K extends Kept>(kept: K): K => (kept.memory.id === id ? { ...kept, ...change(kept) } : kept);
  return {
    ...apply(state),
    ...(state.clear ? { clear: apply(state.clear) } : {}),
    ...(state.left ? { left: apply(state.left) } : {}),
  };
}

/** The compaction changes the memory that it names; on request, its reading is unknown from then on (SPEC 8.4). */
function compact(state: State, event: EventOf<'context.compacted'>): State {
  const { memory: id, upTo } = event.data;
  const apply = (memory: Memory): Memory => (memory.id === id ? { ...memory, upTo, summary: event.seq } : memory);
  const onRequest = state.turn?.id === event.data.turn && state.turn.kind === 'compact';
  const reading: Pick<Kept, 'reading'> = onRequest ? { reading: { tokens: 0, compacted: true } } : {};
  const next = changeMemory(state, id, ({ memory }) => ({ memory: apply(memory), ...reading }));
  if (state.turn) next.turn = { ...state.turn, memory: apply(state.turn.memory), tries: 0 };
  if (state.question) {
    next.question = { ...state.question, turn: { ...state.question.turn, memory: apply(state.question.turn.memory) } };
  }
  return next;
}

/** The turn ends or is suspended: what it says is owed to the person until it is delivered. */
function owe(state: State, event: Event & { data: { turn: string; attempt: number; leaseUntil: number } }): State {
  const turn = state.turn;
  if (turn?.id !== event.data.turn) return state;
  const { turn: id, attempt, leaseUntil } = event.data;
  const owed = { turn: id, attempt, leaseUntil, event: event.seq, answers: turn.answers, parts: turn.parts, tries: 0 };
  return { ...without(state, 'turn'), owed };
}

function startTurn(state: State, event: EventOf<'turn.started'>): State {
  const { turn: id, attempt, leaseUntil, kind, messages, memory, options, tries } = event.data;
  if (state.turn?.id === id) {
    const { notBefore: _over, ...turn } = state.turn;
    return { ...state, turn: { ...turn, attempt, leaseUntil, tries } };
  }
  const answers = messages.at(-1) ?? state.compactAsked ?? event.seq;
  const turn: Turn = {
    ...{ id, attempt, leaseUntil, kind, messages, memory, options, tries },
    ...{ start: event.seq, answers, steps: 0, parts: [] },
  };
  const waiting = state.waiting.filter((seq) => !messages.includes(seq));
  const next = { ...without(state, 'question'), turn, waiting };
  return kind === 'compact' ? without(next, 'compactAsked') : next;
}

function endTurn(state: State, event: EventOf<'turn.ended'>): State {
  const { memory, contextTokens, model } = event.data;
  const next = owe(state, event);
  if (contextTokens === undefined) return next;
  const reading = { tokens: contextTokens, ...(model === undefined ? {} : { model }) };
  return changeMemory(next, memory, (kept) => ({ memory: kept.memory, reading }));
}

function askQuestion(state: State, event: EventOf<'question.asked'>): State {
  const { turn } = state;
  if (turn?.id !== event.data.turn) return state;
  const next = owe(state, event);
  const { question, kind } = event.data;
  return {
    ...next,
    question: { id: question, kind, turn: { ...turn, leaseUntil: 0 } },
    ...(next.owed ? { owed: { ...next.owed, question } } : {}),
  };
}

function answerQuestion(state: State, event: EventOf<'question.answered'>): State {
  const { question } = state;
  if (question?.id !== event.data.question) return state;
  const next = without(state, 'question');
  const turn: Turn = { ...question.turn, leaseUntil: 0, parts: [], tries: 0, answer: event.data.answer };
  return { ...(state.owed?.question === question.id ? without(next, 'owed') : next), turn };
}

function askStop(state: State, event: EventOf<'stop.asked'>): State {
  const next = { ...without(state, 'compactAsked', 'question'), waiting: [] };
  if (!state.turn || state.turn.id !== event.data.turn) return next;
  const { notBefore: _over, ...turn } = state.turn;
  return { ...next, turn: { ...turn, stopAsked: true } };
}

function clearContext(state: State, event: EventOf<'context.cleared'>): State {
  const { memory, waiting, reading, lastClear } = state;
  return {
    ...without(state, 'question', 'compactAsked', 'reading'),
    clear: {
      ...{ seq: event.seq, memory, waiting },
      ...(reading === undefined ? {} : { reading }),
      ...(lastClear === undefined ? {} : { before: lastClear }),
    },
    lastClear: event.seq,
    memory: emptyMemory(event.seq),
    waiting: [],
  };
}

function restoreContext(state: State, event: EventOf<'context.restored'>): State {
  const { clear } = state;
  if (clear?.seq !== event.data.clear) return state;
  const next = { ...without(state, 'clear'), memory: clear.memory, waiting: [...clear.waiting, ...state.waiting] };
  return withValue(withValue(next, 'reading', clear.reading), 'lastClear', clear.before);
}

function startConversation(state: State, event: EventOf<'conversation.started'>): State {
  const left = { ...conversationOf(state), leftAt: event.seq };
  const next: State = {
    ...without(leavePlan(state), 'goal', 'clear', 'lastClear', 'question', 'compactAsked', 'reading', 'begun', 'first'),
    ...{ left, conversation: event.seq, memory: emptyMemory(event.seq), waiting: [] },
  };
  if (!event.data.content) return next;
  // The event is the new memory's first message as well.
  return receive({ ...next, memory: { ...next.memory, upTo: event.seq - 1 } }, event);
}

function resumeConversation(state: State, event: EventOf<'conversation.resumed'>): State {
  const { resumed } = event.data;
  const left = { ...conversationOf(state), leftAt: event.seq };
  let next: State = without(leavePlan(state), 'clear', 'lastClear', 'question');
  const { conversation, memory, first } = resumed;
  next = withValue({ ...next, left, begun: true, conversation, memory }, 'first', first);
  next = withValue(withValue(next, 'goal', resumed.goal), 'reading', resumed.reading);
  return resumed.plan ? changeOptions(next, { mode: 'plan' }) : next;
}

const reducers: { [T in EventType]: Reducer<T> } = {
  message: receive,
  'command.ran': (state) => state,
  'context.cleared': clearContext,
  'context.restored': restoreContext,
  goal: (state, event) => withValue(state, 'goal', event.data.goal ?? undefined),
  options: (state, event) => {
    const next = changeOptions(state, event.data.options);
    return event.data.content ? receive(next, event) : next;
  },
  'conversation.started': startConversation,
  'conversation.resumed': resumeConversation,
  'stop.asked': askStop,
  'compact.asked': (state, event) => ({ ...state, compactAsked: event.seq }),
  'question.answered': answerQuestion,
  'choices.closed': (state) => state,
  'stranger.refused': (state) => ({ ...state, strangerTold: true }),
  'access.asked': (state) => state,
  'person.changed': (state) => state,
  'limit.reached': (state, event) => ({ ...state, limitTold: event.at }),
  'claim.refused': (state, event) => {
    if (event.data.outcome !== 'wrong') return state;
    const recent = (state.wrongClaims ?? []).filter((at) => at > event.at - HOUR_MS);
    return { ...state, wrongClaims: [...recent, event.at].slice(-WRONG_CLAIMS) };
  },
  'turn.started': startTurn,
  'turn.renewed': (state, event) => {
    const { turn: id, attempt, leaseUntil } = event.data;
    const turn = heldTurn(state, event.data);
    const next = turn ? { ...state, turn: { ...turn, leaseUntil } } : state;
    const { owed } = state;
    return owed?.turn === id && owed.attempt === attempt ? { ...next, owed: { ...owed, leaseUntil } } : next;
  },
  'turn.yielded': (state, event) =>
    updateTurn(state, event.data, (turn) => {
      const { notBefore, reason } = event.data;
      return { ...turn, leaseUntil: 0, notBefore, tries: reason === 'time' ? 0 : turn.tries };
    }),
  'reply.opened': (state, event) => {
    const { turn: id, parts } = event.data;
    const next = updateTurn(state, event.data, (turn) => ({ ...turn, parts }));
    return state.owed?.turn === id ? { ...next, owed: { ...state.owed, parts } } : next;
  },
  step: (state, event) =>
    updateTurn(state, event.data, ({ openTool: _done, ...turn }) => {
      const { n, tools } = event.data;
      return { ...turn, steps: n, tries: 0, ...(tools ? { openTool: n } : {}) };
    }),
  'tool.result': (state, event) =>
    updateTurn(state, event.data, ({ openTool: _done, ...turn }) => ({ ...turn, tries: 0 })),
  'turn.ended': endTurn,
  'question.asked': askQuestion,
  'context.compacted': (state, event) => {
    const next = compact(state, event);
    if (state.turn?.id !== event.data.turn || state.turn.kind !== 'compact') return next;
    const leaseUntil = state.turn.leaseUntil;
    return owe(next, { ...event, data: { ...event.data, leaseUntil } });
  },
  'delivery.taken': (state, event) => {
    const { turn, attempt, leaseUntil } = event.data;
    if (state.owed?.turn !== turn) return state;
    return { ...state, owed: { ...state.owed, attempt, leaseUntil, tries: state.owed.tries + 1 } };
  },
  'reply.delivered': (state, event) => (state.owed?.turn === event.data.turn ? without(state, 'owed') : state),
};

/**
 * The state after one more event (SPEC 2.4). Pure and total: an event of an unknown type only moves `seq`.
 * @param event must be well formed for its type; events read from a store go through `fold`.
 */
export function evolve(state: State, event: Event): State {
  if (!Object.hasOwn(reducers, event.type)) return { ...state, seq: event.seq };
  const reduce = reducers[event.type] as Reducer<EventType>;
  const delivery = (event.data as Partial<EventData<'message'>>).delivery;
  const ring = delivery ? remember(state.ring, delivery.key, delivery.sentAt) : state.ring;
  return { ...reduce(state, event), version: STATE_VERSION, seq: event.seq, ring };
}

/** The fold of a whole log, from its first event. Unknown or malformed events are passed over (SPEC 2.5). */
export function fold(events: Iterable<UnknownEvent>): State {
  let state = initialState;
  for (const event of events) {
    const known = knownEvent(event);
    state = known ? evolve(state, known) : { ...state, seq: event.seq };
  }
  return state;
}

/** Whether this event is a message of the person, whichever type carries it. */
export function isMessage(event: UnknownEvent): boolean {
  return contentOf(event) !== undefined;
}
