import { decideResume, ran } from '../domain/decide.ts';
import type { EventData } from '../domain/events.ts';
import type { State } from '../domain/state.ts';
import type { ActionChoice } from '../ports/actions.ts';
import type { CommandContext, EarlierConversation, Handler, Reply, ReplyContext } from './command.ts';
import { detailOf, outcomeOf } from './command.ts';
import { escapeMarkdown, whenSaid } from './words.ts';

/** Longest title on a button, in characters. */
const LABEL_CHARS = 40;

/** `/resume`, with a number or words of a title or without, and a pick of its list (SPEC 4.2). */
export const resume: Handler = {
  passing: ['answering', 'waiting', 'question', 'compacting', 'changed'],
  before: ['earlier'],
  reads: ['earlier'],
  decide(state, context) {
    const { base, args, earlier = [] } = context;
    if (args === '') return ran(base, 'shown', { from: 0 });
    const found = matching(earlier, args);
    const [only] = found;
    if (only && found.length === 1) return decideResume(state, base, only);
    return ran(base, found.length === 0 ? 'unknown' : 'several', { words: args.slice(0, LABEL_CHARS) });
  },
  reply(context) {
    const { event } = context;
    if (event.type === 'conversation.resumed') return resumed(context, event.seq, event.data);
    const outcome = outcomeOf(event) ?? '';
    const refusal = REFUSALS[outcome];
    if (refusal !== undefined) return { markdown: refusal, refusal: true };
    return listed(context, outcome);
  },
};

/** A pick from the list. The conversation is looked for again, since it may have moved on. */
export function pickedConversation(state: State, context: CommandContext, conversation: number) {
  const { base, earlier = [] } = context;
  const found = earlier.find((one) => one.conversation.conversation === conversation);
  return found ? decideResume(state, base, found) : ran(base, 'gone');
}

/** By its number in the list, by the whole of its title, else by words in it. */
function matching(earlier: readonly EarlierConversation[], args: string): EarlierConversation[] {
  const words = args.replaceAll(/\s+/gu, ' ').toLowerCase();
  const numbered = /^\d{1,3}$/u.test(words) ? earlier[Number(words) - 1] : undefined;
  if (numbered) return [numbered];
  const same = earlier.filter(({ title }) => title.toLowerCase() === words);
  return same.length > 0 ? same : earlier.filter(({ title }) => title.toLowerCase().includes(words));
}

const REFUSALS: Record<string, string> = {
  answering: 'I am still answering. Stop me first, or wait until I am done; then resume.',
  waiting: 'A message of yours is still waiting for its answer. Wait until I am done; then resume.',
  question: 'I have asked you something, and it is still open. Answer it first; then resume.',
  compacting: 'I am about to sum this conversation up. Wait until I am done; then resume.',
  here: 'You are in that conversation already.',
  changed: 'You changed the conversation meanwhile, so I stayed in this one. Try again.',
  gone: 'I cannot find that conversation any more.',
};

function resumed({ slash }: ReplyContext, seq: number, data: EventData<'conversation.resumed'>): Reply {
  const name = data.title ? `“${escapeMarkdown(data.title)}”` : 'an earlier conversation';
  const { goal, plan } = data.resumed;
  const back = `${goal === undefined ? '' : ' Its goal holds again.'}${plan ? ' Plan mode is on.' : ''}`;
  const more = ` I remember it as it was when you left it; ${slash('export')} sends you all of it.`;
  return {
    markdown: `You are back in ${name}.${back}${more}`,
    choices: [{ label: 'Go back', target: { kind: 'go-back', left: seq } }],
  };
}

function listed(context: ReplyContext, outcome: string): Reply {
  const { words = '', from = 0 } = detailOf<{ words?: string; from?: number }>(context.event);
  const all = context.facts.earlier ?? [];
  if (all.length === 0) return { markdown: `There is no earlier conversation here. ${leaves(context)}` };
  const found = outcome === 'several' ? matching(all, words) : all;
  const shown = found.length > 0 ? found : all;
  const said = `“${escapeMarkdown(words)}”`;
  const head =
    outcome === 'unknown'
      ? `I find no earlier conversation for ${said}. These are here:`
      : outcome === 'several'
        ? `More than one earlier conversation fits ${said}. Which one?`
        : 'Which conversation shall we go on with?';
  return { markdown: head, choices: page(context, shown, outcome === 'several' ? 0 : from) };
}

function leaves({ slash }: ReplyContext): string {
  return `${slash('new')} starts a new one and keeps this one for later.`;
}

function page({ event, buttonLimit }: ReplyContext, all: readonly EarlierConversation[], from: number): ActionChoice[] {
  const rest = all.slice(from);
  const fits = rest.length <= buttonLimit;
  const choices = rest.slice(0, fits ? buttonLimit : buttonLimit - 1).map(
    ({ conversation, title, at }): ActionChoice => ({
      label: `${short(title)} · ${whenSaid(at, event.at)}`,
      target: { kind: 'resume', conversation: conversation.conversation },
    }),
  );
  if (fits) return choices;
  return [...choices, { label: 'More', target: { kind: 'resume-list', from: from + buttonLimit - 1 } }];
}

function short(title: string): string {
  const chars = [...title];
  return chars.length > LABEL_CHARS ? `${chars.slice(0, LABEL_CHARS - 1).join('')}…` : title || '…';
}
