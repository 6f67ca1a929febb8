import type { Incoming } from '../../ports/chatApp.ts';
import { pressedChoice } from '../shared/press.ts';
import type { Interaction } from './payload.ts';
import type { Did } from './readCommand.ts';

/** A press, or a choice of a list. What is not our value names no action. */
export function readPress({ data, message }: Interaction, { update, sentAt, person, toLater }: Did): Incoming {
  const { content, flags } = message ?? {};
  return {
    kind: 'press',
    ...{ update, sentAt, person },
    to: toLater(),
    ...pressedChoice(data?.values?.[0] ?? data?.custom_id),
    pressId: update,
    message: { content: content ?? '', flags: flags ?? 0 },
  };
}
