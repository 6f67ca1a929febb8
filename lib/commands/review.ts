import { decideMessage } from '../domain/decide.ts';
import { type Handler, messageOf } from './command.ts';

const REVIEW = [
  'Review critically what is named below. Look for mistakes, gaps, weak reasoning and risks; check facts and sums again.',
  'List what you find, the gravest first, each with why it matters and how to mend it. Say plainly what is good enough',
  'to stay. Do not praise, and do not rewrite the whole.',
].join(' ');

const QUOTED = 'The words that are quoted with this message.';
const EVERYTHING = 'What you and I have worked on in this conversation so far, your own answers above all.';

/** `/review`: a message that asks for a critical review; people see what was typed (SPEC 4.2, 10.3). */
export const review: Handler = {
  decide(state, context) {
    const { base, args, quote } = context;
    const text = `${REVIEW}\n\nTo review: ${args || (quote ? QUOTED : EVERYTHING)}`;
    const display = `/review${args ? ` ${args}` : ''}`;
    return decideMessage(state, base, { ...messageOf(text, context), command: { name: 'review', display } });
  },
  reply: () => ({ markdown: 'I look at it.' }),
};
