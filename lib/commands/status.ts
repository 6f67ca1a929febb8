import { ran } from '../domain/decide.ts';
import type { Handler, ReplyContext } from './command.ts';
import { contextLine } from './meter.ts';
import { effortWords, modeWords, pickAnother, speedWords } from './settingWords.ts';
import { count, escapeMarkdown, grantWords, quote, tokens } from './words.ts';

/** `/status` (SPEC 4.2, 8.1). */
export const status: Handler = {
  reads: ['usage'],
  decide: (_state, { base }) => ran(base, 'shown'),
  reply: (context) => ({ markdown: lines(context).join('\n') }),
};

function lines(context: ReplyContext): string[] {
  const { chat, state, asker, facts } = context;
  return [
    ...modelLines(context),
    `- Effort: ${effortWords(chat)}`,
    `- Speed: ${speedWords(chat)}`,
    `- Mode: ${modeWords(chat)}`,
    ...(state.grants?.length ? [`- Allowed in this chat: ${state.grants.map(grantWords).join(', ')}`] : []),
    `- Context: ${contextLine(context)}`,
    `- Now: ${nowWords(context)}`,
    ...todayLines(facts),
    `- You: ${asker.role === 'owner' ? 'the owner of this bot' : 'a user of this bot'}`,
    ...(state.goal === undefined ? ['- Goal: none'] : ['- Goal:', '', quote(state.goal)]),
  ];
}

function modelLines(context: ReplyContext): string[] {
  const { model, missing } = context.chat;
  const name = missing ?? model;
  if (name === undefined) return ['- Provider: none is set up'];
  const slash = name.indexOf('/');
  const gone = missing === undefined ? '' : ` (no longer set up here). ${pickAnother(context)}`;
  if (slash < 0) return [`- Model: ${escapeMarkdown(name)}${gone}`];
  const [provider, own] = [name.slice(0, slash), name.slice(slash + 1)];
  return [`- Provider: ${escapeMarkdown(provider)}`, `- Model: ${escapeMarkdown(own)}${gone}`];
}

function nowWords({ state }: ReplyContext): string {
  const waiting = state.waiting.length;
  return waiting > 0 ? `${doing(state)}, ${count(waiting, 'message')} waiting` : doing(state);
}

function doing({ turn, waiting, question, compactAsked }: ReplyContext['state']): string {
  if (turn) return turn.kind === 'compact' ? 'summing up' : 'answering';
  if (waiting.length > 0) return 'about to answer';
  if (question) return 'waiting for your answer to my question';
  return compactAsked === undefined ? 'idle' : 'about to sum up';
}

function todayLines({ usage }: ReplyContext['facts']): string[] {
  if (!usage) return [];
  const { turns, inputTokens, outputTokens } = usage;
  return [
    `- Today, everyone here: ${count(turns, 'answer')}, ${tokens(inputTokens)} tokens read, ${tokens(outputTokens)} written`,
  ];
}
