import { type Event, type EventData, type EventType, knownEvent, type UnknownEvent } from './events.ts';
import { receive, resumeConversation, startConversation } from './fold/conversation.ts';
import { clearContext, emptyMemory, restoreContext } from './fold/memory.ts';
import { type Reducer, without } from './fold/reducer.ts';
import { changeOptions, closePlan, setGoal } from './fold/settings.ts';
import * as turn from './fold/turn.ts';
import { remember } from './ring.ts';
import { initialState, STATE_VERSION, type State } from './state.ts';

/** What every type of event makes of the state; an event of a new type does not compile without its line here. */
const reducers: { [T in EventType]: Reducer<T> } = {
  message: receive,
  'command.ran': (state) => state,
  'context.cleared': clearContext,
  'context.restored': restoreContext,
  goal: setGoal,
  options: (state, event) => {
    const { options, forgetsGrants, closesApproval } = event.data;
    const left = closePlan(changeOptions(state, options), options);
    const changed = closesApproval ? without(left, 'question') : left;
    const next = forgetsGrants ? without(changed, 'grants') : changed;
    return event.data.content ? receive(next, event) : next;
  },
  'conversation.started': startConversation,
  'conversation.resumed': resumeConversation,
  'stop.asked': turn.askStop,
  'compact.asked': (state, event) => ({ ...state, compactAsked: event.seq }),
  'question.answered': turn.answerQuestion,
  'choices.closed': (state) => state,
  'stranger.refused': (state) => state,
  'access.asked': (state) => state,
  'person.changed': (state) => state,
  'limit.reached': (state) => state,
  'claim.refused': (state) => state,
  'turn.started': turn.startTurn,
  'turn.renewed': turn.renewTurn,
  'turn.yielded': turn.yieldTurn,
  'reply.opened': turn.openReply,
  step: turn.takeStep,
  'tool.started': (state) => state,
  'tool.result': turn.takeToolResult,
  'turn.ended': turn.endTurn,
  'question.asked': turn.askQuestion,
  'context.summed': turn.sumUpPart,
  'context.compacted': turn.compactContext,
  'delivery.taken': turn.takeDelivery,
  'reply.delivered': turn.deliver,
  'chat.gone': (state, { seq }) => ({ ...state, gone: seq }),
  'chat.back': (state) => without(state, 'gone'),
  'place.erased': (_state, { seq }) => ({ ...initialState, conversation: seq, memory: emptyMemory(seq) }),
};

/**
 * The state after one more event (SPEC 2.4). Pure and total: an event of an unknown type only moves `seq`.
 * @param event must be well formed for its type; events read from a store go through `folded`.
 */
export function evolve(state: State, event: Event): State {
  if (!Object.hasOwn(reducers, event.type)) return { ...state, seq: event.seq };
  const reduce = reducers[event.type] as Reducer<EventType>;
  const next = reduce(wasHeardOf(state, event) ? without(state, 'gone') : state, event);
  const delivery = (event.data as Partial<EventData<'message'>>).delivery;
  const ring = delivery ? remember(next.ring, delivery.key, delivery.sentAt) : next.ring;
  return { ...next, version: STATE_VERSION, seq: event.seq, ring };
}

/** Whether this is something that the person did here, so that they are there. A stranger's request is another one's. */
function wasHeardOf(state: State, { type, data }: Event): boolean {
  return state.gone !== undefined && 'delivery' in data && type !== 'access.asked';
}

/** The state after one more event of a store: an unknown or malformed one is passed over (SPEC 2.5). */
export function folded(state: State, event: UnknownEvent): State {
  const known = knownEvent(event);
  return known ? evolve(state, known) : { ...state, seq: event.seq };
}

/**
 * The fold of a whole log, from its first event: what every carried state has to equal (SPEC 2.4).
 * @public
 */
export function fold(events: Iterable<UnknownEvent>): State {
  let state = initialState;
  for (const event of events) state = folded(state, event);
  return state;
}
