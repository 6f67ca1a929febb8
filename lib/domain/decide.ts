import type {
  Address,
  ChatOptions,
  Content,
  Conversation,
  Delivery,
  DraftOf,
  OptionsChange,
  Person,
} from './events.ts';
import { goalFits, goalLength } from './goal.ts';
import type { State } from './state.ts';

/**
 * What people's intents become, given what is in force. Each takes the state and gives the one event to append; an
 * intent that changes nothing becomes `command.ran` with the outcome, so that a delivery that comes again is answered
 * again from its event (SPEC 2.3). Pure: the caller decides again on the winner's state after a conflict.
 */

/** What every event of a webhook carries. */
export interface Base {
  delivery: Delivery;
  person: Person;
  to: Address;
  command?: string;
  action?: string;
}

type Ran = DraftOf<'command.ran'>;

/** A command that changed nothing. `detail` is what its reply needs besides. */
export function ran(base: Base, outcome: string, detail?: unknown): Ran {
  return { type: 'command.ran', data: { ...base, outcome, ...(detail === undefined ? {} : { detail }) } };
}

/** A message: it waits for a turn. What had waited for the conversation's first message goes along (SPEC 6.3). */
export function decideMessage(state: State, base: Base, content: Content): DraftOf<'message'> {
  const first = state.begun
    ? {}
    : {
        ...(state.goal === undefined ? {} : { goal: state.goal }),
        ...(Object.keys(state.options).length === 0 ? {} : { options: state.options }),
      };
  return {
    type: 'message',
    data: { ...base, content, memory: state.memory.id, conversation: state.conversation, ...first },
  };
}

/** Whether a command that ends something was overtaken by a newer message (DESIGN 3a). */
function overtaken(state: State, { delivery }: Base): boolean {
  return (delivery.pressedAt ?? delivery.sentAt) < state.lastMessageAt;
}

/** `/clear` (SPEC 5.1, 5.4, 5.6). Outcomes: `late`, `nothing`. */
export function decideClear(state: State, base: Base): DraftOf<'context.cleared'> | Ran {
  if (overtaken(state, base)) return ran(base, 'late');
  const { messages, summary } = state.memory;
  if (messages === 0 && summary === undefined && state.waiting.length === 0) return ran(base, 'nothing');
  return { type: 'context.cleared', data: { ...base, dropped: state.waiting.length } };
}

/**
 * `/undo`, or a press of Undo that names its clear (SPEC 5.5). Outcomes: `nothing` (no clear to take back), `too-late`
 * (a message was sent since), `other` (a newer clear stands in the way of the one pressed).
 */
export function decideUndo(state: State, base: Base, target?: number): DraftOf<'context.restored'> | Ran {
  const { clear, lastClear } = state;
  if (!clear) return ran(base, lastClear === undefined || (target ?? lastClear) !== lastClear ? 'nothing' : 'too-late');
  if (target !== undefined && target !== clear.seq) return ran(base, 'other');
  return { type: 'context.restored', data: { ...base, clear: clear.seq, restored: clear.waiting.length } };
}

/** `/goal TEXT`, trimmed (SPEC 6.1). Outcome: `too-long` with the length in code points. */
export function decideGoal(_state: State, base: Base, goal: string): DraftOf<'goal'> | Ran {
  if (!goalFits(goal)) return ran(base, 'too-long', { length: goalLength(goal) });
  return { type: 'goal', data: { ...base, goal } };
}

/** `/goal clear`, or a press of Clear goal that names the goal it clears. Outcomes: `none`, `other`. */
export function decideGoalClear(state: State, base: Base, target?: string): DraftOf<'goal'> | Ran {
  if (state.goal === undefined) return ran(base, 'none');
  if (target !== undefined && target !== state.goal) return ran(base, 'other');
  return { type: 'goal', data: { ...base, goal: null } };
}

/** `/new`, with a first message or without (SPEC 4.11). Outcome: `late`. */
export function decideNew(state: State, base: Base, content?: Content): DraftOf<'conversation.started'> | Ran {
  if (overtaken(state, base)) return ran(base, 'late');
  return {
    type: 'conversation.started',
    data: { ...base, dropped: state.waiting.length, ...(content ? { content } : {}) },
  };
}

/**
 * Go back to what `/new` left (SPEC 4.11). Outcomes: `gone` (something else was left since), and those of `underWay`; an open
 * question is closed.
 * @param target seq of the event that left it.
 */
export function decideGoBack(state: State, base: Base, target: number): DraftOf<'conversation.resumed'> | Ran {
  if (state.left?.leftAt !== target) return ran(base, 'gone');
  const busy = underWay(state);
  if (busy) return ran(base, busy);
  const { leftAt, ...resumed } = state.left;
  return { type: 'conversation.resumed', data: { ...base, left: leftAt, resumed } };
}

export type UnderWay = 'answering' | 'waiting' | 'compacting';

/** What is done for the person just now, or is about to be; undefined for nothing. */
function underWay({ turn, waiting, compactAsked }: State): UnderWay | undefined {
  if (turn) return turn.kind === 'compact' ? 'compacting' : 'answering';
  if (waiting.length > 0) return 'waiting';
  return compactAsked === undefined ? undefined : 'compacting';
}

/** Why the conversation cannot be changed for another, or its last message sent again; undefined if nothing stands in the way. */
export function unsettled(state: State): UnderWay | 'question' | undefined {
  return state.question ? 'question' : underWay(state);
}

/**
 * `/resume`: goes on with an earlier conversation (SPEC 4.2, DESIGN 3a). Outcomes: those of `unsettled`, `here`,
 * `changed` (another conversation was left since it was looked up, so what it was then may be out of date).
 */
export function decideResume(
  state: State,
  base: Base,
  found: { conversation: Conversation; title: string; at: number; asOf: number },
): DraftOf<'conversation.resumed'> | Ran {
  const busy = unsettled(state);
  if (busy) return ran(base, busy);
  const { conversation: resumed, title, at: sentAt } = found;
  if (resumed.conversation === state.conversation) return ran(base, 'here');
  if (state.left?.leftAt !== found.asOf) return ran(base, 'changed');
  return { type: 'conversation.resumed', data: { ...base, left: found.asOf, resumed, title, sentAt } };
}

/**
 * `/stop` (SPEC 4.10): ends the running turn and drops what waits, also before a turn has begun. Outcomes: `nothing`,
 * `stopping` (asked before).
 */
export function decideStop(state: State, base: Base): DraftOf<'stop.asked'> | Ran {
  const dropped = state.waiting.length;
  const running = state.turn && !state.turn.stopAsked ? state.turn.id : undefined;
  if (running !== undefined) return { type: 'stop.asked', data: { ...base, turn: running, dropped } };
  if (dropped > 0 || state.compactAsked !== undefined || state.question) {
    return { type: 'stop.asked', data: { ...base, dropped } };
  }
  return ran(base, state.turn ? 'stopping' : 'nothing');
}

/**
 * `/compact`: asks to have what the model remembers summed up (SPEC 8.2). Outcomes: `nothing` (no message since the memory
 * or its summary began), `asked` (it is about to be).
 */
export function decideCompact(state: State, base: Base, keep: string): DraftOf<'compact.asked'> | Ran {
  if (state.compactAsked !== undefined || state.turn?.kind === 'compact') return ran(base, 'asked');
  if (state.memory.messages === 0) return ran(base, 'nothing');
  return { type: 'compact.asked', data: { ...base, ...(keep ? { keep } : {}) } };
}

/**
 * A change of the chat's settings, with a message to send along or without (SPEC 7.3, 7.6). A conversation's first message
 * takes the goal along that waited for it (SPEC 6.3). Plan mode closes a question about tools (SPEC 7.2).
 * @param defaults the tenant's settings for new chats.
 */
export function decideOptions(
  state: State,
  base: Base,
  options: OptionsChange,
  defaults: ChatOptions,
  content?: Content,
): DraftOf<'options'> {
  const mode = options.mode === undefined ? undefined : (options.mode ?? defaults.mode);
  const closes = mode === 'plan' && state.question?.kind === 'ToolApproval' ? { closesApproval: true as const } : {};
  const goal = state.begun || state.goal === undefined ? {} : { goal: state.goal };
  const sent = content ? { content, memory: state.memory.id, ...goal } : {};
  return { type: 'options', data: { ...base, options, ...closes, ...sent } };
}
