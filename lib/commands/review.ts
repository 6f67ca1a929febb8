import { decideMessage } from '../domain/decide.ts';
import { type Handler, messageOf } from './command.ts';
import type { Filled } from './custom.ts';

const REVIEW = [
  'Review critically what is named below. Look for mistakes, gaps, weak reasoning and risks; check facts and sums again.',
  'List what you find, the gravest first, each with why it matters and how to mend it. Say plainly what is good enough',
  'to stay. Do not praise, and do not rewrite the whole.',
].join(' ');

const QUOTED = 'The words that are quoted with this message.';
const EVERYTHING = 'What you and I have worked on in this conversation so far, your own answers above all.';

/** What the model reads, and what people see: that which was typed (SPEC 10.3). */
function filledIn(args: string, isQuoting: boolean): Filled {
  const text = `${REVIEW}\n\nTo review: ${args || (isQuoting ? QUOTED : EVERYTHING)}`;
  return { text, command: { name: 'review', display: `/review${args ? ` ${args}` : ''}` } };
}

/** `/review`: a message that asks for a critical review (SPEC 4.2). */
export const review: Handler = {
  holds(args) {
    const { text, command } = filledIn(args, false);
    return [text, command.display];
  },
  decide(state, context) {
    const { base, args, quote } = context;
    const { text, command } = filledIn(args, quote !== undefined);
    return decideMessage(state, base, { ...messageOf(text, context), command });
  },
  reply: () => ({ markdown: 'I look at it.' }),
};
