import { type Base, decideResume, ran } from '../domain/decide.ts';
import type { Conversation, EventData } from '../domain/events.ts';
import type { State } from '../domain/state.ts';
import type { ActionChoice } from '../ports/actions.ts';
import type { CommandContext, EarlierConversation, Handler, Reply, ReplyContext } from './command.ts';
import { detailOf, outcomeOf } from './command.ts';
import { escapeMarkdown, whenSaid } from './words.ts';

/** Longest title, and as much of it as a button shows, in characters. */
export const TITLE_CHARS = 60;
const LABEL_CHARS = 40;

/** `/resume`, with a number or words of a title or without, and a pick of its list (SPEC 4.2). */
export const resume: Handler = {
  passing: ['answering', 'waiting', 'question', 'compacting', 'changed'],
  before: ['earlier', 'listed'],
  reads: ['earlier'],
  decide(state, context) {
    const { base, args, earlier = [] } = context;
    if (args === '') return ran(base, 'shown', { from: 0 });
    const numbered = isNumber(args) ? numberedIn(context, Number(args)) : undefined;
    const found = numbered ? [numbered] : matching(earlier, args);
    const [only] = found;
    if (only && found.length === 1) return decideResume(state, base, only);
    return ran(base, found.length === 0 ? 'unknown' : 'several', { words: wordsOf(args) });
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

/** More of its list. */
export function nextPage(base: Base, { from, words }: { from: number; words?: string }) {
  return words === undefined ? ran(base, 'shown', { from }) : ran(base, 'several', { from, words });
}

/** Whether the argument may be a number in the list. */
export function isNumber(args: string): boolean {
  return /^\d{1,3}$/u.test(args);
}

/** The conversation with this number, from 1: in the list on screen, else of all, the one left last first. */
function numberedIn({ earlier = [], listed }: CommandContext, number: number): EarlierConversation | undefined {
  if (!listed) return earlier[number - 1];
  return earlier.find(({ conversation }) => conversation.conversation === listed[number - 1]);
}

/** As much of the words as a title can have; quotation marks around them are no part of it. */
function wordsOf(args: string): string {
  const line = args.replaceAll(/\s+/gu, ' ');
  const inner = /^["“”„‟«»](.+)["“”„‟«»]$/u.exec(line)?.[1] ?? line;
  return [...inner].slice(0, TITLE_CHARS).join('');
}

/** By the whole of its title, else by words in it. */
function matching(earlier: readonly EarlierConversation[], args: string): EarlierConversation[] {
  const words = wordsOf(args).toLowerCase();
  const same = earlier.filter(({ title }) => title.toLowerCase() === words);
  return same.length > 0 ? same : earlier.filter(({ title }) => title.toLowerCase().includes(words));
}

const REFUSALS: Record<string, string> = {
  answering: 'I am still answering. Stop me first, or wait until I am done; then resume.',
  waiting: 'A message of yours is still waiting for its answer. Wait until I am done; then resume.',
  question: 'I have asked you something, and it is still open. Answer it first; then resume.',
  compacting: 'I am summing this conversation up. Wait until I am done; then resume.',
  here: 'You are in that conversation already.',
  changed: 'You changed the conversation meanwhile, so I stayed in this one. Try again.',
  gone: 'I cannot find that conversation any more.',
};

/** What holds again, and what no longer does, where a conversation took the place of another. */
export function takenUp({ goal, plan }: Conversation, { left }: State): string {
  const held = left?.goal !== undefined && left.goal !== goal;
  const goals =
    goal !== undefined
      ? [`Its goal holds again${held ? ', in the place of the newer one' : ''}.`]
      : held
        ? ['The goal of the conversation that you left no longer holds.']
        : [];
  const plans = plan ? ['Plan mode is on.'] : left?.plan ? ['Plan mode is off.'] : [];
  return [...goals, ...plans].map((sentence) => ` ${sentence}`).join('');
}

function resumed({ state, slash }: ReplyContext, seq: number, data: EventData<'conversation.resumed'>): Reply {
  const name = data.title ? `“${escapeMarkdown(data.title)}”` : 'an earlier conversation';
  const back = takenUp(data.resumed, state);
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
  return { markdown: head, choices: page(context, shown, { from, ...(outcome === 'several' ? { words } : {}) }) };
}

function leaves({ slash }: ReplyContext): string {
  return `${slash('new')} starts a new one and keeps this one for later.`;
}

function page(
  { event, buttonLimit }: ReplyContext,
  all: readonly EarlierConversation[],
  { from, ...words }: { from: number; words?: string },
): ActionChoice[] {
  const rest = all.slice(from);
  const fits = rest.length <= buttonLimit;
  const choices = rest.slice(0, fits ? buttonLimit : buttonLimit - 1).map(
    ({ conversation, title, at }): ActionChoice => ({
      label: `${short(title)} · ${whenSaid(at, event.at)}`,
      target: { kind: 'resume', conversation: conversation.conversation },
    }),
  );
  if (fits) return choices;
  return [...choices, { label: 'More', target: { kind: 'resume-list', from: from + buttonLimit - 1, ...words } }];
}

function short(title: string): string {
  const chars = [...title];
  return chars.length > LABEL_CHARS ? `${chars.slice(0, LABEL_CHARS - 1).join('')}…` : title || '…';
}
