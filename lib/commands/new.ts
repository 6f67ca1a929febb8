import { decideNew } from '../domain/decide.ts';
import type { Handler, Reply, ReplyContext } from './command.ts';
import { outcomeOf } from './command.ts';
import { pickAnother } from './settingWords.ts';
import { droppedSentence, escapeMarkdown, isAnswering } from './words.ts';

/** `/new`, with a first message or without (SPEC 4.11); Go back answers here too. */
export const newConversation: Handler = {
  decide: (state, { base, args }) => decideNew(state, base, args ? { text: args } : undefined),
  reply(context) {
    const { event } = context;
    if (event.type === 'conversation.started') return started(context, event.seq, event.data.dropped);
    if (event.type === 'conversation.resumed') return { markdown: 'You are back in the conversation from before.' };
    return { markdown: REFUSALS[outcomeOf(event) ?? ''] ?? 'A new conversation.', refusal: true };
  },
};

const REFUSALS: Record<string, string> = {
  late: 'That came late: a newer message is here already, so I stayed in this conversation.',
  gone: 'That conversation is no longer the one before this.',
  busy: 'I cannot go back while I am answering. Try again when I am done.',
};

function started(context: ReplyContext, seq: number, dropped: number): Reply {
  const { state, chat, slashInThreads } = context;
  const left = state.left;
  const lost = [left?.goal === undefined ? '' : 'the goal', left?.plan ? 'plan mode' : '']
    .filter(Boolean)
    .join(' and ');
  const kept = chat.missing ?? chat.model;
  const gone = chat.missing === undefined ? '.' : `, which is no longer set up here. ${pickAnother(context)}`;
  const model = kept === undefined ? '' : ` You keep ${escapeMarkdown(kept)}${gone}`;
  const sentence = lost ? ` ${lost[0]?.toUpperCase()}${lost.slice(1)} ended with the old one.` : '';
  const running = isAnswering(state) ? ' The answer that I am writing still arrives; it belongs to the old one.' : '';
  const threads = slashInThreads ? ` Those in threads go on; ${slashInThreads('new')} in one begins anew there.` : '';
  const markdown = `A new conversation.${model}${sentence}${droppedSentence(dropped)}${running}${threads}`;
  // Without a message, a goal or plan mode there is nothing to go back to.
  const isEmpty = left?.first === undefined && !lost;
  return isEmpty ? { markdown } : { markdown, choices: [{ label: 'Go back', target: { kind: 'go-back', left: seq } }] };
}
