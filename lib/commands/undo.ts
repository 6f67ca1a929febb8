import { decideUndo } from '../domain/decide.ts';
import type { Handler } from './command.ts';
import { outcomeOf } from './command.ts';

const REFUSALS: Record<string, string> = {
  'too-late': 'It is too late to undo: you have sent a message since I cleared.',
  other: 'That clear can no longer be undone: there is a newer one.',
};

/** `/undo`, and a press of Undo (SPEC 5.5). */
export const undo: Handler = {
  decide: (state, { base }) => decideUndo(state, base),
  reply({ event }) {
    if (event.type !== 'context.restored') {
      return { markdown: REFUSALS[outcomeOf(event) ?? ''] ?? 'There is no clear to undo.', refusal: true };
    }
    const back = event.data.restored;
    const again =
      back === 0
        ? ''
        : back === 1
          ? ' The message that waited is back.'
          : ` The ${back} messages that waited are back.`;
    return { markdown: `Undone. I remember everything from before again.${again}` };
  },
};
