import { decideMessage, ran } from '../domain/decide.ts';
import { type Handler, messageOf } from './command.ts';

/** `/ask`: a message, in apps that deliver none by themselves (SPEC 4.2). */
export const ask: Handler = {
  decide: (state, context) =>
    context.args ? decideMessage(state, context.base, messageOf(context.args, context)) : ran(context.base, 'empty'),
  reply: ({ slash }) => ({ markdown: `Write your message after ${slash('ask')}.` }),
};
