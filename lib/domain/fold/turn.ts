import type { Event, EventOf } from '../events.ts';
import { GRANTS } from '../limits.ts';
import type { State, Turn } from '../state.ts';
import { changeMemory, compact } from './memory.ts';
import { without } from './reducer.ts';
import { changeOptions } from './settings.ts';

/** The turn that this worker's event belongs to, if the event's claim is the one in force. */
function heldTurn(state: State, data: { turn: string; attempt: number }): Turn | undefined {
  return state.turn?.id === data.turn && state.turn.attempt === data.attempt ? state.turn : undefined;
}

function updateTurn(state: State, data: { turn: string }, change: (turn: Turn) => Turn): State {
  return state.turn?.id === data.turn ? { ...state, turn: change(state.turn) } : state;
}

/** The turn ends or is suspended: what it says is owed to the person until it is delivered. */
function owe(state: State, event: Event & { data: { turn: string; attempt: number; leaseUntil: number } }): State {
  const turn = state.turn;
  if (turn?.id !== event.data.turn) return state;
  const { turn: id, attempt, leaseUntil } = event.data;
  const { answers, parts, reopened } = turn;
  const owed = { turn: id, attempt, leaseUntil, event: event.seq, answers, parts, tries: 0 };
  return { ...without(state, 'turn'), owed: reopened ? { ...owed, reopened } : owed };
}

export function startTurn(state: State, event: EventOf<'turn.started'>): State {
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

export function renewTurn(state: State, event: EventOf<'turn.renewed'>): State {
  const { turn: id, attempt, leaseUntil } = event.data;
  const turn = heldTurn(state, event.data);
  const next = turn ? { ...state, turn: { ...turn, leaseUntil } } : state;
  const { owed } = state;
  return owed?.turn === id && owed.attempt === attempt ? { ...next, owed: { ...owed, leaseUntil } } : next;
}

export function yieldTurn(state: State, event: EventOf<'turn.yielded'>): State {
  return updateTurn(state, event.data, (turn) => {
    const { notBefore, reason } = event.data;
    return { ...turn, leaseUntil: 0, notBefore, tries: reason === 'time' ? 0 : turn.tries };
  });
}

export function takeStep(state: State, event: EventOf<'step'>): State {
  const { n } = event.data;
  const next = updateTurn(state, event.data, (turn) => ({ ...settled(turn), steps: n, openStep: n, tries: 0 }));
  return withReading(next, event.data, state.turn);
}

export function takeToolResult(state: State, event: EventOf<'tool.result'>): State {
  return updateTurn(state, event.data, (turn) => ({ ...settled(turn), tries: 0 }));
}

export function sumUpPart(state: State, event: EventOf<'context.summed'>): State {
  return updateTurn(state, event.data, (turn) => ({ ...turn, tries: 0 }));
}

/** Without what is known of a step whose calls wait for results. */
function settled({ openStep: _open, answer: _answer, ...turn }: Turn): Turn {
  return turn;
}

/** What a step of a turn read and wrote. */
type Read = Pick<EventOf<'step'>['data'], 'turn' | 'memory' | 'contextTokens' | 'model'>;

/**
 * What the last step read and wrote is the reading of the memory that it read (SPEC 8.1): not of the one that the turn
 * began with, once it was compacted for itself alone (SPEC 5.5).
 */
function withReading(state: State, { turn: id, memory, contextTokens, model }: Read, turn: Turn | undefined): State {
  if (contextTokens === undefined) return state;
  const reading = { tokens: contextTokens, ...(model === undefined ? {} : { model }) };
  return changeMemory(state, memory, (kept) => {
    const isAnother = turn?.id === id && turn.memory.summary !== kept.memory.summary;
    return isAnother ? kept : { memory: kept.memory, reading };
  });
}

export function askStop(state: State, event: EventOf<'stop.asked'>): State {
  const next = { ...without(state, 'compactAsked', 'question'), waiting: [] };
  if (!state.turn || state.turn.id !== event.data.turn) return next;
  const { notBefore: _over, ...turn } = state.turn;
  return { ...next, turn: { ...turn, stopAsked: true } };
}

export function endTurn(state: State, event: EventOf<'turn.ended'>): State {
  return withReading(owe(state, event), event.data, state.turn);
}

/** Compacted in mid-turn, the turn goes on; on request, the turn was for that alone and owes its reply. */
export function compactContext(state: State, event: EventOf<'context.compacted'>): State {
  const next = compact(state, event);
  if (next.turn && next.turn.id === event.data.turn && event.data.said !== undefined) {
    next.turn = { ...next.turn, parts: [], reopened: true };
  }
  if (state.turn?.id !== event.data.turn || state.turn.kind !== 'compact') return next;
  const leaseUntil = state.turn.leaseUntil;
  return owe(next, { ...event, data: { ...event.data, leaseUntil } });
}

export function askQuestion(state: State, event: EventOf<'question.asked'>): State {
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

/**
 * The turn goes on where it was suspended (SPEC 7.3), but for Keep planning: that is told to the model with what the
 * person says next. Start leaves plan mode, also for the rest of the turn.
 */
export function answerQuestion(state: State, event: EventOf<'question.answered'>): State {
  const { question, owed } = state;
  const { answer, options, mode, grants } = event.data;
  if (question?.id !== event.data.question) return state;
  // Seen and answered before its delivery is known to be over: whoever shows it lets go of the turn then.
  const isShowing = owed?.question === question.id;
  let next = without(state, 'question');
  if (isShowing) next = without(next, 'owed');
  if (options) next = changeOptions(next, options);
  if (grants) next = { ...next, grants: [...new Set([...(next.grants ?? []), ...grants])].slice(-GRANTS) };
  if (answer === 'keep') return next;
  const { turn } = question;
  const inForce = mode === undefined ? turn.options : { ...turn.options, mode };
  const leaseUntil = isShowing ? owed.leaseUntil : 0;
  return { ...next, turn: { ...turn, options: inForce, leaseUntil, parts: [], reopened: true, tries: 0, answer } };
}

export function openReply(state: State, event: EventOf<'reply.opened'>): State {
  const { turn: id, parts, shown } = event.data;
  const next = updateTurn(state, event.data, (turn) => ({ ...turn, parts }));
  if (state.owed?.turn !== id) return next;
  return { ...next, owed: { ...state.owed, parts, ...(shown === undefined ? {} : { shown }) } };
}

export function takeDelivery(state: State, event: EventOf<'delivery.taken'>): State {
  const { turn, attempt, leaseUntil } = event.data;
  const { owed, question } = state;
  if (owed?.turn !== turn) return state;
  const next = { ...state, owed: { ...owed, attempt, leaseUntil, tries: owed.tries + 1 } };
  // The suspended turn goes on behind this attempt, so that no earlier one holds it again.
  if (question && question.id === owed.question) next.question = { ...question, turn: { ...question.turn, attempt } };
  return next;
}

export function deliver(state: State, event: EventOf<'reply.delivered'>): State {
  const { owed, question } = state;
  const answered = owed ? undefined : heldTurn(state, event.data);
  if (answered) return { ...state, turn: { ...answered, leaseUntil: 0 } };
  if (owed?.turn !== event.data.turn) return state;
  const next = without(state, 'owed');
  const isShown = event.data.undeliverable === undefined && owed.question === question?.id;
  return question && isShown ? { ...next, question: { ...question, shown: event.seq } } : next;
}
