import vectors from '../fixtures/teams/vectors.json' with { type: 'json' };
import type { Params } from './teamsRules.ts';

export const APP_ID = vectors.appId;
export const BOT = `28:${APP_ID}`;
/** The organisation that the bot is at home in. */
export const TENANT = 'aaaaaaaa-bbbb-4ccc-8ddd-eeeeeeeeeeee';
export const SERVICE_URL = 'https://smba.trafficmanager.net/teams/';
/** A team's channel. */
export const GENERAL = '19:general@thread.tacv2';
/** A chat of several people. */
export const LUNCH = '19:lunch@thread.v2';

/** A person's private chat with the bot. */
export const direct = (person: string) => `a:${person.slice(3)}`;

const MENTION = { type: 'mention', mentioned: { id: BOT, name: 'Conch' }, text: '<at>Conch</at>' };

/** Activities as Teams sends them. */
export class TeamsPayloads {
  /** Of messages: the time in ms, and a name within the conversation. */
  #newest = Date.now();

  id(): string {
    this.#newest = Math.max(this.#newest + 1, Date.now());
    return String(this.#newest);
  }

  #activity(person: string, conversation: Params, fields: Params): Params {
    const id = this.id();
    return {
      ...{ type: 'message', id, timestamp: new Date(Number(id)).toISOString(), serviceUrl: SERVICE_URL },
      channelId: 'msteams',
      from: { id: person, name: person.slice(4), aadObjectId: '66666666-7777-4888-8999-000000000000' },
      conversation: { tenantId: TENANT, ...conversation },
      recipient: { id: BOT, name: 'Conch' },
      entities: [{ type: 'clientInfo', locale: 'en-US', platform: 'Web' }],
      channelData: { tenant: { id: TENANT } },
      ...fields,
    };
  }

  /** A message in a person's private chat. */
  direct(text: string, person: string, fields: Params = {}): Params {
    const conversation = { conversationType: 'personal', id: direct(person) };
    const html = { contentType: 'text/html', content: `<p>${text}</p>` };
    return this.#activity(person, conversation, { textFormat: 'plain', text, attachments: [html], ...fields });
  }

  /** A message that mentions the bot. @param thread of a team's channel: its first message; absent: a new one. */
  mention(text: string, person: string, channel: string, thread?: string): Params {
    const isTeam = channel.endsWith('tacv2');
    const activity = this.#activity(person, {}, { text: `<at>Conch</at> ${text}`, entities: [MENTION] });
    const root = thread ?? String(activity.id);
    const conversation = isTeam
      ? { conversationType: 'channel', isGroup: true, id: `${channel};messageid=${root}` }
      : { conversationType: 'groupChat', isGroup: true, id: channel };
    return { ...activity, conversation: { tenantId: TENANT, ...conversation } };
  }

  /** A press, as an invoke. @param conversation where the pressed message stands. */
  invoke(data: Params, person: string, at: { conversation: Params; message: string }): Params {
    const value = { action: { type: 'Action.Execute', verb: 'choice', data }, trigger: 'manual' };
    const fields = { type: 'invoke', name: 'adaptiveCard/action', id: `f:${this.id()}`, replyToId: at.message, value };
    return this.#activity(person, at.conversation, fields);
  }

  /** A press, as older clients send it. */
  submit(data: Params, person: string, at: { conversation: Params; message: string }): Params {
    return this.#activity(person, at.conversation, { id: `f:${this.id()}`, replyToId: at.message, value: data });
  }
}
