import type { Challenge } from '../../ports/chatApp.ts';
import { jsonOf } from '../shared/json.ts';
import { shaped } from '../shared/shape.ts';
import { EPHEMERAL } from './address.ts';
import { AUTOCOMPLETE, interactionShape, PING, SHOW_FORM, SHOW_MESSAGE, SUGGEST } from './interaction.ts';
import { INPUT_LIMIT_CHARS } from './limits.ts';

/** The form's name, and its field's. */
export const ASK_FORM = 'ask';
const PARAGRAPH = 2;
const TEXT_INPUT = 4;
const LABEL = 18;

const NOT_SURE = 'Not sure I got this; if nothing comes within a minute, send it again.';

/** Nobody is mentioned, whatever a text says (SPEC 13.4). */
export const NO_MENTIONS = { allowed_mentions: { parse: [] } } as const;

/** An answer that only the person sees. */
export function privateMessage(content: string): Record<string, unknown> {
  return { type: SHOW_MESSAGE, data: { content, flags: EPHEMERAL, ...NO_MENTIONS } };
}

/** As `privateMessage`, to something that is no message to us. */
export function privately(content: string): Challenge {
  return { kind: 'challenge', answer: privateMessage(content) };
}

/** A form for a message of several lines, which the option of a command cannot hold. */
export function askForm(): Challenge {
  const component = {
    type: TEXT_INPUT,
    custom_id: 'text',
    style: PARAGRAPH,
    required: true,
    max_length: INPUT_LIMIT_CHARS,
  };
  const components = [{ type: LABEL, label: 'Your message', component }];
  return { kind: 'challenge', answer: { type: SHOW_FORM, data: { custom_id: ASK_FORM, title: 'Ask', components } } };
}

/** Discord delivers nothing again: who is not sure says so, while the interaction can still be answered (DESIGN 3a). */
export function apology(body: Uint8Array): Record<string, unknown> | undefined {
  const interaction = shaped(interactionShape, jsonOf(body));
  if (!interaction.ok || interaction.value.type === PING) return undefined;
  return interaction.value.type === AUTOCOMPLETE ? { type: SUGGEST, data: { choices: [] } } : privateMessage(NOT_SURE);
}
