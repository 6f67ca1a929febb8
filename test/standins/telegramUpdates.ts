/** Builds updates in the shapes in which Telegram delivers them. Ids count up; times are in seconds. */

export interface User {
  id: number;
  is_bot: boolean;
  first_name: string;
  username?: string;
}

export interface Chat {
  id: number;
  type: 'private' | 'group' | 'supergroup' | 'channel';
  title?: string;
  first_name?: string;
  is_forum?: true;
}

type Fields = Record<string, unknown>;
export type Update = { update_id: number } & Fields;

/** A person, by default Ana. */
export function person(id = 111, firstName = 'Ana'): User {
  return { id, is_bot: false, first_name: firstName };
}

export function privateChat(user: User): Chat {
  return { id: user.id, type: 'private', first_name: user.first_name };
}

export function group(id = -1001111111111, fields: Partial<Chat> = {}): Chat {
  return { id, type: 'supergroup', title: 'Lab', ...fields };
}

/** The entities that Telegram finds by itself in a text: a command at the start, and names. */
export function foundEntities(text: string): Fields[] {
  const commands = [...text.matchAll(/(?<![\w/])\/[A-Za-z0-9_]{1,32}(?:@\w{3,32})?(?![\w/@])/g)];
  const names = [...text.matchAll(/(?<!\w)@\w{3,32}/g)];
  const found = (type: string, matches: RegExpExecArray[]) =>
    matches.map((match) => ({ type, offset: match.index, length: match[0].length }));
  return [...found('bot_command', commands), ...found('mention', names)];
}

/** Makes updates with ids of one sequence. @param nowS Telegram's clock, in seconds. */
export class Updates {
  #updateId = 900_000_000;
  #messageId = 1_000;
  readonly #nowS: () => number;

  constructor(nowS: () => number = () => Math.floor(Date.now() / 1000)) {
    this.#nowS = nowS;
  }

  /** Any update. @param kind such as `message`. */
  update(kind: string, fields: Fields): Update {
    this.#updateId += 1;
    return { update_id: this.#updateId, [kind]: fields };
  }

  /** A text of a person in their private chat. @param fields more of the message, such as `forward_origin`. */
  privateMessage(text: string, from: User = person(), fields: Fields = {}): Update {
    return this.update('message', this.message(privateChat(from), from, text, fields));
  }

  /** A text in a group. @param fields more of the message, such as `message_thread_id` and `is_topic_message`. */
  groupMessage(text: string, from: User = person(), chat: Chat = group(), fields: Fields = {}): Update {
    return this.update('message', this.message(chat, from, text, fields));
  }

  message(chat: Chat, from: User, text: string, fields: Fields = {}): Fields {
    this.#messageId += 1;
    const entities = foundEntities(text);
    const found = entities.length > 0 ? { entities } : {};
    return { message_id: this.#messageId, date: this.#nowS(), chat, from, text, ...found, ...fields };
  }

  /** An edit of a message of `message()`. */
  edited(message: Fields, text: string): Update {
    return this.update('edited_message', { ...message, text, edit_date: this.#nowS() });
  }

  /** A press of a button. @param message the bot's message that the button stands under. */
  press(data: string, from: User, message: { message_id: number; chat: Chat } & Fields): Update {
    const id = `4${String(this.#updateId).padStart(15, '0')}`;
    return this.update('callback_query', { id, from, chat_instance: '-55', data, message });
  }

  /** The bot was blocked, removed, let back or added. @param status such as `kicked` or `member`. */
  membership(chat: Chat, from: User, bot: User, status: string): Update {
    const old = { status: status === 'member' ? 'left' : 'member', user: bot };
    return this.update('my_chat_member', {
      chat,
      from,
      date: this.#nowS(),
      old_chat_member: old,
      new_chat_member: { status, user: bot },
    });
  }
}
