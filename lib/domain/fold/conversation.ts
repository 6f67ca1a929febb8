import type { Conversation, Delivery, Event, EventOf } from '../events.ts';
import type { State } from '../state.ts';
import { emptyMemory } from './memory.ts';
import { without, withValue } from './reducer.ts';
import { changeOptions, leavePlan } from './settings.ts';

/** A message of the person: it waits for a turn, makes a clear final (SPEC 5.5), moves the place on from a question. */
export function receive(state: State, event: Event & { data: { delivery: Delivery } }): State {
  const { seq, data } = event;
  return {
    ...without(state, 'clear', 'question'),
    begun: true,
    first: state.first ?? seq,
    waiting: [...state.waiting, seq],
    lastMessageAt: Math.max(state.lastMessageAt, data.delivery.sentAt),
    memory: { ...state.memory, messages: state.memory.messages + 1, last: seq },
  };
}

/** What `/new` leaves and Go back puts back. */
function conversationOf(state: State): Conversation {
  return {
    conversation: state.conversation,
    memory: state.memory,
    ...(state.first === undefined ? {} : { first: state.first }),
    ...(state.goal === undefined ? {} : { goal: state.goal }),
    ...(state.options.mode === 'plan' ? { plan: true } : {}),
    ...(state.reading === undefined ? {} : { reading: state.reading }),
  };
}

export function startConversation(state: State, event: EventOf<'conversation.started'>): State {
  const left = { ...conversationOf(state), leftAt: event.seq };
  const next: State = {
    ...without(leavePlan(state), 'goal', 'clear', 'lastClear', 'question', 'compactAsked', 'reading', 'begun', 'first'),
    ...{ left, conversation: event.seq, memory: emptyMemory(event.seq), waiting: [] },
  };
  if (!event.data.content) return next;
  // The event is the new memory's first message as well.
  return receive({ ...next, memory: { ...next.memory, upTo: event.seq - 1 } }, event);
}

export function resumeConversation(state: State, event: EventOf<'conversation.resumed'>): State {
  const { resumed } = event.data;
  const left = { ...conversationOf(state), leftAt: event.seq };
  let next: State = without(leavePlan(state), 'clear', 'lastClear', 'question');
  const { conversation, memory, first } = resumed;
  next = withValue({ ...next, left, begun: true, conversation, memory }, 'first', first);
  next = withValue(withValue(next, 'goal', resumed.goal), 'reading', resumed.reading);
  return resumed.plan ? changeOptions(next, { mode: 'plan' }) : next;
}
