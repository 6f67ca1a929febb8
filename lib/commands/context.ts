import { ran } from '../domain/decide.ts';
import type { Handler, ReplyContext } from './command.ts';
import { contextLine } from './meter.ts';
import { count } from './words.ts';

/** `/context`: how full the model's context is, and what fills it (SPEC 8.1). */
export const context: Handler = {
  decide: (_state, { base }) => ran(base, 'shown'),
  reply(replyContext) {
    const parts = filling(replyContext);
    const list = parts.length === 0 ? 'It is empty.' : `In it:\n\n${parts.map((part) => `- ${part}`).join('\n')}`;
    return { markdown: `Context: **${contextLine(replyContext)}**\n\n${list}` };
  },
};

function filling({ state, chat }: ReplyContext): string[] {
  const { memory, goal } = state;
  const { messages } = memory;
  const said =
    memory.summary === undefined
      ? messages > 0
        ? [`${count(messages, 'message')} of yours, and my answers`]
        : []
      : ['a summary of what was said before', ...(messages > 0 ? ['what was said since'] : [])];
  return [...said, ...(goal === undefined ? [] : ['the goal']), ...(chat.mode === 'plan' ? ['plan mode'] : [])];
}
