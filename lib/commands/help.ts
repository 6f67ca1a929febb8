import { ran } from '../domain/decide.ts';
import { plainValue } from './arguments.ts';
import type { CatalogEntry, Handler, ReplyContext, Section } from './command.ts';
import { nameKey } from './parse.ts';
import { escapeMarkdown } from './words.ts';

const TITLES: Record<Section, string> = {
  chat: 'Chat',
  context: 'Memory',
  work: 'Work',
  settings: 'Settings',
  people: 'People',
  custom: 'Custom commands',
  skills: 'Skills',
  prompts: 'From tool servers',
};

/** `/help`, and `/help NAME` (SPEC 4.2). */
export const help: Handler = {
  decide(_state, { base, args }) {
    const about = plainValue(args);
    return ran(base, 'shown', about ? { about: about.slice(0, 64) } : undefined);
  },
  reply(context) {
    const about = aboutOf(context);
    if (about === undefined) return { markdown: overview(context) };
    const entry = find(context.catalog, about);
    return { markdown: entry ? one(context, entry) : refusal(context, about) };
  },
};

function aboutOf({ event }: ReplyContext): string | undefined {
  const detail = event.type === 'command.ran' ? (event.data.detail as { about?: string } | undefined) : undefined;
  return detail?.about?.replace(/^\//u, '');
}

function find(catalog: readonly CatalogEntry[], name: string): CatalogEntry | undefined {
  const key = nameKey(name);
  return (
    catalog.find((entry) => entry.name === name) ??
    catalog.find((entry) => [entry.name, ...entry.aliases].some((known) => nameKey(known) === key))
  );
}

function usage({ slash }: ReplyContext, entry: CatalogEntry): string {
  return escapeMarkdown(slash(entry.name, entry.argument.kind === 'none' ? undefined : entry.argument.hint));
}

function overview(context: ReplyContext): string {
  const sections = (Object.keys(TITLES) as Section[]).flatMap((section) => {
    const entries = context.catalog.filter((entry) => entry.section === section);
    if (entries.length === 0) return [];
    const lines = entries.map(
      (entry) => `- ${escapeMarkdown(context.slash(entry.name))}: ${escapeMarkdown(entry.summary)}`,
    );
    return [`**${TITLES[section]}**\n\n${lines.join('\n')}`];
  });
  const { group, withoutMessages } = context.asker;
  const reaches = withoutMessages ? [] : group ? ['In a group, mention me or reply to me.'] : [];
  const rest = group || withoutMessages ? '' : ' Anything else you write is a message to me.';
  return [...reaches, ...sections, `Write ${context.slash('help', 'and a name')} for more on one.${rest}`].join('\n\n');
}

function one(context: ReplyContext, entry: CatalogEntry): string {
  const aliases = entry.aliases.map((alias) => escapeMarkdown(context.slash(alias))).join(', ');
  const also = aliases ? `\n\nAlso: ${aliases}` : '';
  return `${usage(context, entry)}: ${escapeMarkdown(entry.summary)}${also}`;
}

/** A command that the person may not use says who may, or where (SPEC 4.5). */
function refusal({ slash, whyNot }: ReplyContext, name: string): string {
  const command = escapeMarkdown(slash(name));
  const why = whyNot(name);
  if (why === 'owner-only') return `Only the owner of this bot can use ${command}.`;
  if (why === 'private-only') return `${command} works in a private chat with me.`;
  if (why === 'web-only') return `${command} works on the web page only.`;
  return `There is no such command here. ${slash('help')} lists what you can use.`;
}
