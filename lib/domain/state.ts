import type { ChatOptions, Conversation, Memory, Mode, Reading } from './events.ts';
import type { Ring } from './ring.ts';
import type { Answer, QuestionKind } from './toolCalls.ts';

/**
 * Raised when `State` or `evolve` change so that a stored fold would differ. Older states are taken over (`upgradeState`) or
 * folded again.
 */
export const STATE_VERSION = 7;

/** A turn that has begun and has not ended. Every append of its holder is fenced by (`id`, `attempt`). */
export interface Turn {
  id: string;
  attempt: number;
  /** 0: nobody holds it; it may be taken over. */
  leaseUntil: number;
  kind: 'answer' | 'compact';
  /** The messages that it answers, by seq. */
  messages: number[];
  /** The memory that it began with (SPEC 5.6). */
  memory: Memory;
  /** Settings in force for this turn; later changes count from the next one (SPEC 4.8). */
  options: ChatOptions;
  /** Seq of its first `turn.started`. */
  start: number;
  /** The event whose address the reply goes to, by seq: the newest message, or `compact.asked`. */
  answers: number;
  steps: number;
  /** Its newest step, while the step's calls have no results yet. */
  openStep?: number;
  /** Ids of the reply's messages in the chat app. */
  parts: string[];
  /** It has had a reply before this one, which a question or a boundary closed. */
  reopened?: true;
  stopAsked?: true;
  /** Claims without progress so far. */
  tries: number;
  /** Not to be taken over before this time, ms: a provider's wait. */
  notBefore?: number;
  /** How the question about the open step was answered. */
  answer?: Answer;
}

/** A reply that the person has not been shown yet: what `event` (`turn.ended` or `question.asked`) says. */
export interface OwedDelivery {
  turn: string;
  attempt: number;
  leaseUntil: number;
  event: number;
  /** The event whose address the reply goes to, by seq. */
  answers: number;
  /** Set while a question is not shown yet. */
  question?: string;
  parts: string[];
  reopened?: true;
  /** How many of them show the final text already. */
  shown?: number;
  tries: number;
}

export interface Question {
  id: string;
  kind: QuestionKind;
  /** The suspended turn, put back as it was when the question is answered. */
  turn: Turn;
  /** Seq of the event by which it is known to be shown. */
  shown?: number;
}

/** The newest clear, while it can still be undone (SPEC 5.5). */
export interface ClearPoint {
  seq: number;
  memory: Memory;
  waiting: number[];
  reading?: Reading;
  /** Seq of the clear before it, which is too late to undo. */
  before?: number;
}

/** What `/new` left behind, for Go back (SPEC 4.11). */
export interface LeftConversation extends Conversation {
  /** Seq of the event that left it. */
  leftAt: number;
}

/** What is in force in a place: the fold of its log (SPEC 2.4). Small: message text never enters, but for the goal. */
export interface State {
  version: number;
  seq: number;
  ring: Ring;
  /** The app's time of the newest message, ms. */
  lastMessageAt: number;
  /** Seq of the event that began the conversation; 0 before the first. */
  conversation: number;
  /** The conversation has its first message. */
  begun?: true;
  /** Its first message, by seq. */
  first?: number;
  memory: Memory;
  goal?: string;
  options: ChatOptions;
  /** The mode in force before plan mode was turned on; absent if it was the default. */
  modeBeforePlan?: Mode;
  waiting: number[];
  turn?: Turn;
  question?: Question;
  owed?: OwedDelivery;
  clear?: ClearPoint;
  /** Seq of the newest clear that was not undone, also when it is too late to undo it. */
  lastClear?: number;
  left?: LeftConversation;
  /** Tools that may run here without asking, by the names of their grants (SPEC 5.3, 7.5). */
  grants?: string[];
  /** Seq of the `compact.asked` that waits. */
  compactAsked?: number;
  reading?: Reading;
  /** Seq of the `chat.gone` since which nobody was heard of here: nothing can be sent. */
  gone?: number;
}

export const initialState: State = {
  version: STATE_VERSION,
  seq: 0,
  ring: { entries: '', floorS: 0 },
  lastMessageAt: 0,
  conversation: 0,
  memory: { id: 0, upTo: 0, messages: 0 },
  options: {},
  waiting: [],
};
