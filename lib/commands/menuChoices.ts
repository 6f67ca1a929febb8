import type { OptionsChange } from '../domain/events.ts';
import type { ActionChoice, MenuView } from '../ports/actions.ts';
import type { ReplyContext } from './command.ts';

/** A drawn view: text, and the choices under it. */
export interface Drawn {
  text: string;
  choices: ActionChoice[];
}

/** The choices of one view: what each opens or changes. */
export class Choices {
  readonly #command: string;
  readonly #view: MenuView;

  constructor({ event }: ReplyContext, view: MenuView) {
    const { command } = event.data as { command?: string };
    this.#command = command ?? 'settings';
    this.#view = view;
  }

  /** Opened from `/settings`, so that there is a way back. */
  get hasBack(): boolean {
    return this.#command === 'settings';
  }

  open(label: string, view: Omit<MenuView, 'scope'> & Partial<MenuView>): ActionChoice {
    const { scope } = this.#view;
    return { label, target: { kind: 'menu', command: this.#command, view: { scope, ...view } } };
  }

  /** A value to pick, ticked if it is the one in use. */
  pick(label: string, change: OptionsChange, ticked: boolean): ActionChoice {
    const target = { kind: 'set' as const, command: this.#command, change, view: this.#view };
    return { label: ticked ? `✓ ${label}` : label, target };
  }

  back(): ActionChoice[] {
    return this.hasBack ? [this.open('Back', { menu: 'settings' })] : [];
  }

  /** Yes and No under a question about this change. */
  confirm(change: OptionsChange, conversation: number): ActionChoice[] {
    const sure = { kind: 'set' as const, command: this.#command, change, view: this.#view, sure: true as const };
    return [
      { label: 'Yes', answers: 'yes', target: { ...sure, conversation } },
      { ...this.open('No', this.#view), answers: 'no' },
    ];
  }
}

/** `Model of this chat`, `Model for new chats`. */
export function heading(what: string, { scope }: MenuView): string {
  return scope === 'chat' ? `${what} of this chat` : `${what} for new chats`;
}
