import type { OptionsChange } from '../domain/events.ts';
import type { Answer } from '../domain/toolCalls.ts';

/** One rendering of a settings menu (SPEC 11.5); all else on it follows from what is in force. */
export interface MenuView {
  menu: 'settings' | 'providers' | 'models' | 'effort' | 'fast' | 'mode';
  /** Whose values: this chat's, or the defaults for new chats. */
  scope: 'chat' | 'defaults';
  /** Whose models; absent: those of the provider in use. */
  provider?: string;
  /** Only models whose name has this in it, of all providers. */
  match?: string;
  /** From 0; absent: the one with the value in use. */
  page?: number;
  /** The change that waits for a Yes. */
  confirm?: OptionsChange;
}

/**
 * What a choice under a message does when it is picked. `kind` names the doer in `lib/conversations`; the other fields
 * name its target, so that the append which settles it can refuse a target no longer in force (DESIGN 3a).
 */
export type ActionTarget =
  | { kind: 'undo'; clear: number }
  | { kind: 'clear-goal'; goal: string }
  | { kind: 'go-back'; left: number }
  /** Opens a view of the menu of this command. */
  | { kind: 'menu'; command: string; view: MenuView }
  /**
   * Changes settings, then shows the view. `sure`: a Yes, which counts in the conversation that it was asked in.
   */
  | { kind: 'set'; command: string; change: OptionsChange; view: MenuView; sure?: true; conversation?: number }
  /** Goes on with this earlier conversation. */
  | { kind: 'resume'; conversation: number }
  /** Shows the list of earlier conversations from this one on; with `words`, of those that they fit. */
  | { kind: 'resume-list'; from: number; words?: string }
  /** Lets the person in or puts them out, then shows the list from there on; without a person, only that. */
  | { kind: 'people'; from: number; who?: { id: string }; status?: 'let-in' | 'put-out' }
  /** The owner's answer about somebody who has asked to be let in (SPEC 9.3). */
  | { kind: 'access'; who: { id: string }; answer: 'let-in' | 'not-now' }
  /** Answers the question of a turn that waits for it (SPEC 7); Plan first sends the message again. */
  | { kind: 'answer'; question: string; answer: Answer | 'plan-first'; grants?: string[] }
  /**
   * Runs a command as if it had been typed, such as a did-you-mean. `quotedIn`: the number of the event that holds what was
   * quoted with it.
   */
  | { kind: 'run'; text: string; quotedIn?: number }
  /** Sends these words to the model as they were typed. */
  | { kind: 'send'; text: string; quotedIn?: number };

export interface ActionChoice {
  label: string;
  target: ActionTarget;
  /** The answer that a typed `yes` or `no` stands for, if any (SPEC 11.4). */
  answers?: 'yes' | 'no';
}

/** A press that was refused just now: by which delivery, by `shortKey`, and what the person was told. */
export interface PressRefusal {
  update: string;
  text: string;
}

/** How many refused presses of one message are remembered. */
export const REFUSALS_KEPT = 100;

/** The open choices of one message: single use, bound to channel, chat and person (SPEC 11.1). */
export interface ActionItem {
  /** Url-safe, at most 24 characters. */
  id: string;
  tenant: string;
  channelId: string;
  chat: string;
  place: string;
  person: string;
  /** The event whose reply shows the choices. */
  seq: number;
  choices: ActionChoice[];
  createdAt: number;
  /** It stays until it is answered. */
  lasting?: true;
  /** The person cancelled it: what is left of it says so to a press until its time has passed. */
  closed?: true;
  /** Presses that were refused just now, the first `REFUSALS_KEPT` of them, in any order. */
  refused?: PressRefusal[];
  /** Past this time, ms, it is gone, whatever the store still holds. */
  expiresAt: number;
}

export interface ActionKey {
  tenant: string;
  channelId: string;
  chat: string;
  id: string;
}

export interface Actions {
  put(item: ActionItem): Promise<void>;
  /** Strongly consistent; an expired item may still be given, so its `expiresAt` has to be checked. */
  get(key: ActionKey): Promise<ActionItem | undefined>;
  delete(key: ActionKey): Promise<void>;
  /** Remembers the refusal with the action as it stands then; nothing where there is none. May be repeated. */
  noteRefused(key: ActionKey, refusal: PressRefusal): Promise<void>;
  /** The chat's items, oldest first, strongly consistent. */
  list(chat: Omit<ActionKey, 'id'>): Promise<ActionItem[]>;
}
