/** Builds what Slack delivers, in its shapes (docs.slack.dev). Times count up, so that each message has its own. */

type Fields = Record<string, unknown>;

export const TEAM = 'T0CONCH01';
export const APP = 'A0CONCH01';
export const BOT = 'U0CONCHBT';
export const ANA = 'U0ALICE01';
export const BEN = 'U0BEN0001';
export const GENERAL = 'C0GENERAL';

/** A person's private chat with the bot. */
export function directChannel(user: string): string {
  return `D${user.slice(1)}`;
}

/** A request of Slack: its body and the form that it comes in. */
export interface Delivery {
  contentType: 'application/json' | 'application/x-www-form-urlencoded';
  body: string;
}

export function asForm(fields: Record<string, string>): Delivery {
  return { contentType: 'application/x-www-form-urlencoded', body: new URLSearchParams(fields).toString() };
}

/** The request that a payload comes in: a slash command, a press, else an event. */
export function deliveryOf(payload: unknown): Delivery {
  const fields = (typeof payload === 'object' && payload !== null ? payload : {}) as Record<string, string>;
  if ('command' in fields) return asForm(fields);
  if (fields.type === 'block_actions') return asForm({ payload: JSON.stringify(fields) });
  return { contentType: 'application/json', body: JSON.stringify(payload) };
}

export class SlackPayloads {
  #count = 0;
  readonly #nowS: () => number;
  readonly team: string;
  readonly bot: string;

  /** @param team a workspace, in which the bot is `bot`. */
  constructor(nowS: () => number = () => Math.floor(Date.now() / 1000), team = TEAM, bot = BOT) {
    this.#nowS = nowS;
    this.team = team;
    this.bot = bot;
  }

  /** Those of another workspace, whose times and ids may be the same as here. */
  of(team: string, bot = BOT): SlackPayloads {
    return new SlackPayloads(this.#nowS, team, bot);
  }

  /** A time that no other message has. */
  ts(): string {
    this.#count += 1;
    return `${this.#nowS()}.${String(this.#count).padStart(6, '0')}`;
  }

  /** Any event in its envelope. */
  event(event: Fields, envelope: Fields = {}): Fields {
    this.#count += 1;
    return {
      ...{ type: 'event_callback', team_id: this.team, api_app_id: APP, event_id: `Ev${this.#count}` },
      ...{ event_time: this.#nowS(), event_context: '4-x', is_ext_shared_channel: false },
      authorizations: [
        { enterprise_id: null, team_id: this.team, user_id: this.bot, is_bot: true, is_enterprise_install: false },
      ],
      event,
      ...envelope,
    };
  }

  message(text: string, user: string, channel: string, fields: Fields = {}): Fields {
    const ts = this.ts();
    const kind = channel.startsWith('D') ? 'im' : 'channel';
    return { type: 'message', channel, channel_type: kind, user, text, ts, event_ts: ts, ...fields };
  }

  /** A text in a person's private chat. */
  direct(text: string, user = ANA, fields: Fields = {}): Fields {
    return this.event(this.message(text, user, directChannel(user), fields));
  }

  /** A text in a channel that the bot is in. */
  inChannel(text: string, user = ANA, channel = GENERAL, fields: Fields = {}): Fields {
    return this.event(this.message(text, user, channel, fields));
  }

  /** A text in a channel that mentions the bot: two events for one message. */
  mention(text: string, user = ANA, channel = GENERAL, fields: Fields = {}): [mention: Fields, message: Fields] {
    const message = this.message(`<@${this.bot}> ${text}`, user, channel, fields);
    const { channel_type: _none, ...rest } = message;
    return [this.event({ ...rest, type: 'app_mention' }), this.event(message)];
  }

  /** `/conch TEXT`. @param at where, and the response URL. */
  command(text: string, user: string, at: { channel: string; name?: string; responseUrl: string }): Fields {
    this.#count += 1;
    return {
      ...{ token: 'deprecated', team_id: this.team, team_domain: 'acme', channel_id: at.channel },
      ...{ channel_name: at.name ?? (at.channel.startsWith('D') ? 'directmessage' : 'general') },
      ...{ user_id: user, user_name: 'somebody', command: '/conch', text, api_app_id: APP },
      ...{ is_enterprise_install: 'false', response_url: at.responseUrl, trigger_id: `1.2.${this.#count}` },
    };
  }

  /** A press of a button. @param message where it stands, as Slack shows it. */
  press(
    button: { value: string; actionId: string; blockId?: string },
    user: string,
    message: { channel: string; ts: string; thread?: string; text: string; blocks?: unknown; onlyFor?: string },
    responseUrl: string,
  ): Fields {
    const { channel, ts, thread, onlyFor, text, blocks } = message;
    const inThread = thread === undefined ? {} : { thread_ts: thread };
    const isEphemeral = onlyFor !== undefined;
    const action = { type: 'button', action_id: button.actionId, value: button.value, action_ts: this.ts() };
    return {
      ...{ type: 'block_actions', api_app_id: APP, team: { id: this.team, domain: 'acme' } },
      ...{ user: { id: user, username: 'somebody', team_id: this.team }, trigger_id: `1.3.${this.#count}` },
      response_url: responseUrl,
      container: { type: 'message', message_ts: ts, channel_id: channel, is_ephemeral: isEphemeral, ...inThread },
      channel: { id: channel, name: 'general' },
      // Slack does not tell what a message for one person holds.
      ...(isEphemeral ? {} : { message: { type: 'message', user: this.bot, ts, text, blocks, ...inThread } }),
      actions: [{ ...action, block_id: button.blockId ?? 'b1' }],
    };
  }
}
