import { ran } from '../domain/decide.ts';
import type { Handler, ReplyContext } from './command.ts';
import { count, escapeMarkdown, quote, tokens } from './words.ts';

/** `/status` (SPEC 4.2, 8.1). */
export const status: Handler = {
  reads: 'usage',
  decide: (_state, { base }) => ran(base, 'shown'),
  reply: (context) => ({ markdown: lines(context).join('\n') }),
};

const MODE_NAMES = { plan: 'Plan', ask: 'Ask', edit: 'Edit freely', auto: 'Auto', trust: 'Full trust' };

function lines(context: ReplyContext): string[] {
  const { chat, state } = context;
  const [provider, ...model] = (chat.model ?? '').split('/');
  const now = state.turn ? 'answering' : state.waiting.length > 0 ? 'about to answer' : 'idle';
  return [
    `- Provider: ${provider ? escapeMarkdown(provider) : 'none is set up'}`,
    ...(model.length > 0 ? [`- Model: ${escapeMarkdown(model.join('/'))}`] : []),
    `- Effort: ${chat.effort ?? 'default'}`,
    `- Speed: ${chat.fast ? 'fast' : 'standard'}`,
    `- Mode: ${MODE_NAMES[chat.mode]}`,
    `- Context: ${contextLine(context)}`,
    `- Now: ${now}${state.waiting.length > 0 ? `, ${count(state.waiting.length, 'message')} waiting` : ''}`,
    ...(chat.usage
      ? [
          `- Today: ${count(chat.usage.turns, 'answer')}, ${tokens(chat.usage.inputTokens)} tokens read, ${tokens(chat.usage.outputTokens)} written`,
        ]
      : []),
    ...(state.goal === undefined ? ['- Goal: none'] : ['- Goal:', '', quote(state.goal)]),
  ];
}

/** How full the context is, as `84.2k of 200k (42%)` (SPEC 8.1, 8.4). */
export function contextLine({ state, chat }: Pick<ReplyContext, 'state' | 'chat'>): string {
  const { reading } = state;
  const window = chat.contextWindow;
  if (reading?.compacted) return 'compacted (0%), known again after the next answer';
  const read = reading?.tokens ?? 0;
  if (window === undefined) return tokens(read);
  return `${tokens(read)} of ${tokens(window)} (${Math.round((read / window) * 100)}%)`;
}
