import type { Person } from '../../domain/events.ts';
import type { Channel, Incoming } from '../../ports/chatApp.ts';
import { faultOf } from '../shared/faults.ts';
import { asObject, jsonOf } from '../shared/json.ts';
import { shaped } from '../shared/shape.ts';
import { ignored, malformed } from '../shared/unread.ts';
import { addressOf, withToken } from './address.ts';
import { userName } from './content.ts';
import {
  AUTOCOMPLETE,
  COMMAND,
  COMPONENT,
  type DiscordEvent,
  eventShape,
  FORM,
  type Interaction,
  interactionShape,
  PING,
  PONG,
} from './payload.ts';
import { readCommand, readCompletion, readForm } from './readCommand.ts';
import { readPress } from './readPress.ts';

const EPOCH_MS = 1_420_070_400_000;
/** Before interactions there were none; such an id is no snowflake. */
const FIRST_MS = Date.UTC(2020, 0, 1);

/** Reads an interaction or a webhook event; never throws. @param now time in ms, from which an interaction's token serves. */
export function read(body: Uint8Array, channel: Channel, now: number): Incoming[] {
  const json = jsonOf(body);
  if (json === undefined) return [malformed('the body is no JSON')];
  const event = isEvent(json) ? shaped(eventShape, json) : undefined;
  if (event?.ok) return [readEvent(event.value)];
  const interaction = shaped(interactionShape, json);
  if (!interaction.ok) return [malformed(faultOf(interaction.paths))];
  const { application_id: application } = interaction.value;
  const isOurs = application === undefined || application === channel.settings.applicationId;
  return [isOurs ? readInteraction(interaction.value, channel, now) : ignored('of another application')];
}

/** Interactions have numbers of their own, and no event. */
function isEvent(json: unknown): boolean {
  const { type, event } = asObject(json);
  return type === 0 || event !== undefined;
}

/** Where the application was added or taken away; a bot that is put out of a server is not told. */
function readEvent({ event }: DiscordEvent): Incoming {
  const chat = event?.data?.guild?.id ?? event?.data?.user?.id;
  if (!event || chat === undefined) return ignored('an event that is not read');
  if (event.type === 'APPLICATION_AUTHORIZED') return { kind: 'membership', change: 'back', chat };
  if (event.type === 'APPLICATION_DEAUTHORIZED') return { kind: 'membership', change: 'gone', chat };
  return ignored('a kind of event that is not read');
}

function readInteraction(interaction: Interaction, channel: Channel, now: number): Incoming {
  if (interaction.type === PING) return { kind: 'challenge', answer: { type: PONG } };
  const user = interaction.member?.user ?? interaction.user;
  if (!user || user.bot) return ignored('from nobody in particular');
  const to = channel.secrets.botToken ? addressOf(interaction, user.id) : undefined;
  if (!to) return ignored('from nowhere in particular');
  const name = userName(user);
  const person: Person = name === undefined ? { id: user.id } : { id: user.id, name };
  const toLater = () => withToken(to, interaction.token, channel, now);
  const did = {
    ...{ key: `i:${interaction.id}`, update: interaction.id, sentAt: sentAt(interaction.id, now) },
    ...{ person, to, toLater },
  };
  switch (interaction.type) {
    case COMMAND:
      return readCommand(interaction, did, channel);
    case COMPONENT:
      return readPress(interaction, did);
    case AUTOCOMPLETE:
      return readCompletion(interaction, did);
    case FORM:
      return readForm(interaction, did);
    default:
      return ignored('a kind of interaction that is not read');
  }
}

/** The time that is in the id. */
function sentAt(id: string, now: number): number {
  const ms = Number(BigInt(id) >> 22n) + EPOCH_MS;
  return ms < FIRST_MS ? now : ms;
}
