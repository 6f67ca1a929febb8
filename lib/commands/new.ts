import { decideNew } from '../domain/decide.ts';
import type { Conversation } from '../domain/events.ts';
import type { Handler, Reply, ReplyContext } from './command.ts';
import { messageOf, outcomeOf } from './command.ts';
import { takenUp } from './resume.ts';
import { pickAnother } from './settingWords.ts';
import { droppedSentence, escapeMarkdown, isAnswering } from './words.ts';

/** `/new`, with a first message or without (SPEC 4.11); Go back answers here too. */
export const newConversation: Handler = {
  passing: ['answering', 'waiting', 'compacting'],
  decide: (state, context) =>
    decideNew(state, context.base, context.args ? messageOf(context.args, context) : undefined),
  reply(context) {
    const { event } = context;
    if (event.type === 'conversation.started') return started(context, event.seq, event.data.dropped);
    if (event.type === 'conversation.resumed') return { markdown: back(context, event.data.resumed) };
    return { markdown: refusal(context, outcomeOf(event) ?? ''), refusal: true };
  },
};

function back({ state }: ReplyContext, resumed: Conversation): string {
  return `You are back in the conversation from before.${takenUp(resumed, state)}`;
}

const LATE =
  'That came late: a newer message is here already, so I stayed in this conversation. Send it again if you still want it.';
const BUSY: Record<string, string> = {
  answering: 'I cannot go back while I am answering.',
  waiting: 'I cannot go back while a message of yours waits for its answer.',
  compacting: 'I cannot go back while I am summing this conversation up.',
};

function refusal({ state, slash }: ReplyContext, outcome: string): string {
  if (outcome === 'late') return LATE;
  const busy = BUSY[outcome];
  // What has no message is in no list of earlier conversations.
  const isListed = state.left?.first !== undefined;
  const byCommand = isListed ? `, or write ${slash('resume')} then` : '';
  if (busy !== undefined) return `${busy} Try again when I am done${byCommand}.`;
  return `That conversation is no longer the one before this.${isListed ? ` ${slash('resume')} lists earlier ones.` : ''}`;
}

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
