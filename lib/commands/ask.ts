import { decideMessage, ran } from '../domain/decide.ts';
import type { Handler } from './command.ts';

/** `/ask`: a message, in apps that deliver none by themselves (SPEC 4.2). */
export const ask: Handler = {
  decide: (state, { base, args }) => (args ? decideMessage(state, base, { text: args }) : ran(base, 'empty')),
  reply: ({ slash }) => ({ markdown: `Write your message after ${slash('ask')}.` }),
};
