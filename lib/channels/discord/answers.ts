import type { Challenge } from '../../ports/chatApp.ts';
import { EPHEMERAL } from './address.ts';
import { INPUT_LIMIT_CHARS } from './limits.ts';
import { SHOW_FORM, SHOW_MESSAGE } from './payload.ts';

/** The form's name, and its field's. */
export const ASK_FORM = 'ask';
const PARAGRAPH = 2;
const TEXT_INPUT = 4;
const LABEL = 18;

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
