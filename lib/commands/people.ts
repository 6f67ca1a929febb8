import { type Base, ran } from '../domain/decide.ts';
import type { Event } from '../domain/events.ts';
import type { ActionChoice, ActionTarget } from '../ports/actions.ts';
import type { CommandContext, Handler, PersonFacts, Reply, ReplyContext } from './command.ts';
import { detailOf, outcomeOf, whoIn } from './command.ts';
import { escapeMarkdown, nameOf } from './words.ts';

/** `/people`, its list, and what the owner answers when somebody has asked (SPEC 9.3). */
export const people: Handler = {
  reads: (event) => (isAnswer(event) ? ['person', 'access'] : ['people', 'access']),
  decide: (_state, { base }) => ran(base, 'shown', { from: 0 }),
  reply(context) {
    const { event } = context;
    if (!isAnswer(event)) return listed(context);
    const { status } = event.type === 'person.changed' ? event.data : {};
    return { markdown: status ? answered(context, status) : notNow(context) };
  },
};

/** Whether the owner answered about one who has asked; else the list is shown. */
function isAnswer(event: Event): boolean {
  return event.type === 'person.changed' ? event.data.from === undefined : outcomeOf(event) === 'not-now';
}

type PeopleTarget = Extract<ActionTarget, { kind: 'people' | 'access' }>;

/** What a press in the list does, or an answer to somebody who has asked. */
export function pickedPerson({ base }: Pick<CommandContext, 'base'>, target: PeopleTarget) {
  if (target.kind === 'access' && target.answer === 'not-now') return ran(base, 'not-now', { who: target.who });
  if (target.kind === 'access') {
    return { type: 'person.changed' as const, data: { ...base, who: target.who, status: 'let-in' as const } };
  }
  const { who, status, from } = target;
  if (!who || !status) return ran(base, 'shown', { from });
  return { type: 'person.changed' as const, data: { ...base, who, status, from } };
}

function answered(context: ReplyContext, status: 'let-in' | 'put-out'): string {
  const name = nameIn(context);
  if (status === 'put-out') return `${name} is put out.`;
  const effect = context.facts.access === 'owner' ? ` ${RULES.owner}` : '';
  return `${name} is let in.${effect} Use ${context.slash('people')} to put them out again.`;
}

/** Others may have been decided on since the notice was shown, or the rule of the channel: it says how it is now. */
function notNow(context: ReplyContext): string {
  const { person } = context.facts;
  if (!person) return 'Not now.';
  const [name, list] = [nameIn(context), context.slash('people')];
  if (person.status === 'let-in') return `${name} is let in already. Use ${list} to put them out.`;
  if (mayWrite(person, context)) return `Anyone may write to me by now, ${name} too. Use ${list} to put them out.`;
  return `Not now. You can let ${name} in later with ${list}.`;
}

/** Whether this person is let in, or may write as anyone may. */
function mayWrite({ status }: PersonFacts, { facts }: Pick<ReplyContext, 'facts'>): boolean {
  return status === 'let-in' || (facts.access === 'anyone' && status !== 'put-out');
}

function nameIn(context: ReplyContext): string {
  const who = knownIn(context);
  return who ? escapeMarkdown(nameOf(who)) : 'them';
}

/** The person whom the event is about, by the name that is known of them now; undefined if it is about nobody. */
export function knownIn({ event, facts }: ReplyContext): Pick<PersonFacts, 'id' | 'name'> | undefined {
  const id = whoIn(event);
  return facts.person ?? (id === undefined ? undefined : { id });
}

const ORDER = ['asked', 'wrote', 'let-in', 'put-out'] as const;
const TITLES = {
  asked: 'Would like to be let in',
  wrote: 'Have written',
  ...{ 'let-in': 'Let in', 'put-out': 'Put out' },
};

/** Who is known, in the order of the list; the owner is not in it. */
function known({ event, facts }: ReplyContext): PersonFacts[] {
  const owner = (event.data as Partial<Base>).person?.id;
  const others = (facts.people ?? []).filter(({ id }) => id !== owner).map((one) => asNow(one, facts));
  const rank = ({ status }: PersonFacts) => ORDER.indexOf(status);
  return others.sort((a, b) => rank(a) - rank(b) || nameOf(a).localeCompare(nameOf(b)) || (a.id < b.id ? -1 : 1));
}

/** Where anyone may write, who has asked to is somebody who has written. */
function asNow(one: PersonFacts, { access }: ReplyContext['facts']): PersonFacts {
  return access === 'anyone' && one.status === 'asked' ? { ...one, status: 'wrote' } : one;
}

function listed(context: ReplyContext): Reply {
  const all = known(context);
  const rule = RULES[context.facts.access ?? 'list'];
  if (all.length === 0) {
    return {
      markdown: `${rule} Nobody ${context.facts.access === 'anyone' ? 'else has written' : 'has asked'} so far.`,
    };
  }
  const { from = 0 } = fromOf(context);
  const start = from < all.length ? from : 0;
  const rest = all.slice(start);
  const fits = rest.length <= context.buttonLimit;
  const shown = rest.slice(0, fits ? context.buttonLimit : context.buttonLimit - 1);
  const sections = ORDER.flatMap((status) => section(status, shown));
  const choices = shown.map((one) => choiceOf(one, start, context));
  const more: ActionChoice[] = fits ? [] : [{ label: 'More', target: { kind: 'people', from: start + shown.length } }];
  return { markdown: [rule, ...sections].join('\n\n'), choices: [...choices, ...more] };
}

function fromOf({ event }: ReplyContext): { from?: number } {
  if (event.type === 'person.changed') return { from: Number(event.data.from ?? 0) };
  return detailOf<{ from?: number }>(event);
}

const RULES = {
  owner: 'I am set to answer you only: letting somebody in has no effect for now.',
  list: 'Only people you let in may write to me.',
  anyone: 'Anyone may write to me, except those you put out.',
};

function section(status: PersonFacts['status'], shown: readonly PersonFacts[]): string[] {
  const lines = shown.filter((one) => one.status === status).map((one) => `- ${lineOf(one)}`);
  return lines.length === 0 ? [] : [`**${TITLES[status]}**\n\n${lines.join('\n')}`];
}

/** A person by name and id: the id tells apart two people who call themselves the same. */
export function lineOf(who: Pick<PersonFacts, 'id' | 'name'>): string {
  const name = escapeMarkdown(nameOf(who));
  return who.name === undefined ? name : `${name} (${escapeMarkdown(who.id)})`;
}

function choiceOf(one: PersonFacts, from: number, context: ReplyContext): ActionChoice {
  const { id, name } = one;
  const next = mayWrite(one, context) ? 'put-out' : 'let-in';
  const label = `${next === 'let-in' ? 'Let in' : 'Put out'} ${nameOf({ id, name })}`;
  return { label, target: { kind: 'people', from, who: { id }, status: next } };
}
