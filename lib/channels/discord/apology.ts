import { jsonOf } from '../shared/json.ts';
import { shaped } from '../shared/shape.ts';
import { privateMessage } from './answers.ts';
import { AUTOCOMPLETE, interactionShape, PING, SUGGEST } from './payload.ts';

const NOT_SURE = 'Not sure I got this. If nothing comes within a minute, send it again.';

/** Discord delivers nothing again: who is not sure says so, while the interaction can still be answered (DESIGN 3a). */
export function apology(body: Uint8Array): Record<string, unknown> | undefined {
  const interaction = shaped(interactionShape, jsonOf(body));
  if (!interaction.ok || interaction.value.type === PING) return undefined;
  return interaction.value.type === AUTOCOMPLETE ? { type: SUGGEST, data: { choices: [] } } : privateMessage(NOT_SURE);
}
