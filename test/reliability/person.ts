import type { Update } from './delivery.ts';
import type { Act } from './scenarios.ts';
import type { World } from './world.ts';

const PATIENCE_MS = 60_000;
const LOOK_EVERY_MS = 2_000;

/** Does what a scenario says, through the chat app. */
export class Person {
  readonly #world: World;
  #updates = 0;
  #messages = 0;

  constructor(world: World) {
    this.#world = world;
  }

  /** @param done when it is done, or cannot be. */
  do(act: Act, done: () => void): void {
    const chat = act.chat ?? 'ann';
    if ('say' in act) this.#say(chat, act, done);
    else if ('press' in act) this.#press(chat, act, this.#world.clock.now() + PATIENCE_MS, done);
    else {
      this.#world.chat.blocked.add(chat);
      done();
    }
  }

  /** Where somebody writes: in their own chat, or all in one group. */
  #to(person: string, thread?: string): { chat: string; thread?: string; group?: true } {
    const to: { chat: string; group?: true } = this.#world.scenario.group
      ? { chat: 'lab', group: true }
      : { chat: person };
    return thread === undefined ? to : { ...to, thread };
  }

  /** `{m}` in the text becomes a name of the message, so that it can be found again wherever it turns up. */
  #say(chat: string, act: Extract<Act, { say: string }>, done: () => void): void {
    const { clock } = this.#world;
    const named = act.say.replaceAll('{m}', () => `m${++this.#messages}`);
    const id = `u${++this.#updates}`;
    const incoming: Update['incoming'] = {
      ...{ kind: 'message', key: `m:${chat}:${id}`, update: id, sentAt: clock.now(), person: { id: chat } },
      ...{ to: { ...this.#to(chat, act.thread), message: id }, content: { text: named }, typed: named },
      ...{ addressed: true, namesUs: true },
    };
    clock.after(act.late ?? 0, () => this.#deliver({ id, chat, incoming, state: 'pending' }, act.repeats ?? [], done));
  }

  /** @param repeats when it comes once more, ms after the first time. */
  #deliver(update: Update, repeats: readonly number[], done: () => void): void {
    const { clock, deliverer } = this.#world;
    deliverer.deliver(update);
    let left = repeats.length;
    if (left === 0) done();
    for (const afterMs of repeats) {
      clock.after(afterMs, () => {
        deliverer.repeat(update);
        if (--left === 0) done();
      });
    }
  }

  /** Presses a button as soon as it is there, or writes its number in an app without; gives up when it does not come. */
  #press(chat: string, act: Extract<Act, { press: string }>, until: number, done: () => void): void {
    const { clock, watch } = this.#world;
    const found = this.#world.chat.withChoice(this.#to(chat).chat, act.press);
    if (!found) {
      if (clock.now() < until) clock.after(LOOK_EVERY_MS, () => this.#press(chat, act, until, done));
      else {
        watch.count('no button to press');
        done();
      }
      return;
    }
    const [, action = '', choice = '0'] = found.choice.value.split(':');
    if (this.#world.chat.kind === 'text') {
      this.#say(chat, { at: act.at, say: String(Number(choice) + 1), repeats: act.repeats ?? [] }, done);
      return;
    }
    const { times = 1, repeats = [] } = act;
    for (let n = 1; n <= times; n++) {
      const id = `u${++this.#updates}`;
      const update = `${id}@${found.message.id}`;
      const incoming: Update['incoming'] = {
        ...{ kind: 'press', update, sentAt: clock.now(), person: { id: chat }, to: this.#to(chat) },
        ...{ action, choice: Number(choice), pressId: id },
      };
      this.#deliver({ id, chat, incoming, state: 'pending' }, n === times ? repeats : [], n === times ? done : nothing);
    }
  }
}

const nothing = () => undefined;
