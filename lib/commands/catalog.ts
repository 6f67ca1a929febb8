import type { Menu, MenuCommand } from '../ports/chatApp.ts';
import type { CommandRecord, SkillRecord } from '../ports/tenants.ts';
import type { Argument, CatalogEntry, Command } from './command.ts';
import { type Asker, mayRun } from './gate.ts';
import { meaningOf, NO_OWN, type OwnCommands, useOf } from './meaning.ts';
import { nameKey } from './parse.ts';
import { type PromptCommand, promptCommands } from './promptCommands.ts';
import { COMMANDS } from './registry.ts';

/** Longest summary, in code points; what a tenant wrote is cut to it. */
const SUMMARY_CHARS = 100;
/** The rank of what a tenant adds; the registry's rows have lower ones. */
const OWN_RANK = 1_000;
/** How many rows of the registry stand in a menu before the tenant's own commands. */
const ESSENTIALS = 10;

interface Listed {
  rows: readonly Command[];
  custom: readonly CommandRecord[];
  skills: readonly SkillRecord[];
}

const keysOf = (things: readonly { name: string }[]) => things.map(({ name }) => nameKey(name));
const namesOf = ({ name, aliases }: Command) => [name, ...aliases].map(nameKey);

const FIXED: ReadonlySet<string> = new Set(COMMANDS.filter(({ yields }) => !yields).flatMap(namesOf));

/** What can be reached by its name: of equal names only the winner, by the order of SPEC 4.4. */
function winners(own: OwnCommands): Listed {
  const custom = own.commands.filter(({ name, enabled }) => enabled && !FIXED.has(nameKey(name)));
  const customKeys = new Set(keysOf(custom));
  const skills = own.skills.filter(({ name }) => !FIXED.has(nameKey(name)) && !customKeys.has(nameKey(name)));
  const ownKeys = new Set([...customKeys, ...keysOf(skills), ...keysOf(promptCommands(own.toolServers ?? []))]);
  const rows = COMMANDS.filter(({ yields, name }) => !yields || !ownKeys.has(nameKey(name))).map((row) =>
    row.yields ? { ...row, aliases: row.aliases.filter((alias) => !ownKeys.has(nameKey(alias))) } : row,
  );
  return { rows, custom, skills };
}

function rowEntry(command: Command): CatalogEntry {
  const { name, aliases, section, argument, wanted, chat } = command;
  return { name, aliases, section, argument, wanted, summary: chat?.summary ?? command.summary };
}

/** The first of what a tenant wrote of its own, as one line. */
function summaryOf(description: string): string {
  const line = [...description.replace(/[\s\p{Cc}]+/gu, ' ').trim()];
  return line.length > SUMMARY_CHARS ? `${line.slice(0, SUMMARY_CHARS - 1).join('')}…` : line.join('');
}

type Own = Pick<CommandRecord | SkillRecord, 'name' | 'description'>;

function ownEntry(section: 'custom' | 'skills' | 'prompts', { name, description }: Own, hint: string) {
  const argument = { kind: 'text', hint: summaryOf(hint) } as const;
  return { name, aliases: [], section, argument, wanted: OWN_RANK, summary: summaryOf(description) };
}

function skillEntry(skill: SkillRecord) {
  return ownEntry('skills', skill, 'text');
}

function promptEntry({ name, server, prompt }: PromptCommand) {
  const hint = prompt.arguments.map((argument) => argument.name).join(', ');
  return ownEntry('prompts', { name, description: prompt.description ?? `A prompt of ${server}` }, hint || 'text');
}

/**
 * What this person may use here: the registry's rows in its order, then the tenant's custom commands and skills, then
 * prompts of its tool servers (SPEC 4.1, 4.4, 15.5).
 */
export function catalogFor(asker: Asker, own: OwnCommands = NO_OWN): CatalogEntry[] {
  const { rows, custom, skills } = winners(own);
  const permitted = rows.filter((row) => mayRun(row, asker).ok);
  const mine = custom.filter((one) => mayRun(useOf({ kind: 'custom', custom: one }), asker).ok);
  const taught = skills.filter((skill) => mayRun(useOf({ kind: 'skill', skill }), asker).ok);
  const prompts = promptsFor(own).filter((one) => mayRun(useOf({ kind: 'prompt', prompt: one }), asker).ok);
  return [
    ...permitted.map(rowEntry),
    ...mine.map((one) => ownEntry('custom', one, one.argumentHint ?? 'text')),
    ...taught.map(skillEntry),
    ...prompts.map(promptEntry),
  ];
}

/** Every row of the registry, in its order. */
export function registryEntries(): CatalogEntry[] {
  return COMMANDS.map(rowEntry);
}

/** The tenant's skills that a name leads to, in words for the model (SPEC 10.4). */
export function skillsFor(own: OwnCommands): readonly SkillRecord[] {
  return winners(own).skills;
}

/** The prompts of the tenant's tool servers that a name leads to (SPEC 4.4). */
export function promptsFor(own: OwnCommands): readonly PromptCommand[] {
  return promptCommands(own.toolServers ?? []).filter(({ name }) => meaningOf(name, own)?.kind === 'prompt');
}

function menuArgument(argument: Argument): Pick<MenuCommand, 'argument'> {
  if (argument.kind === 'none') return {};
  const { hint, choices, suggested } = argument;
  return { argument: { hint, ...(choices && { choices }), ...(suggested && { suggested: true }) } };
}

/**
 * The rows of the registry in menus. One that yields to a skill or a prompt keeps its place with the winner's words: these
 * stand in no menu by themselves, and some apps know no command that is not in theirs.
 */
function menuRows(own: OwnCommands): Command[] {
  return COMMANDS.flatMap((row): Command[] => {
    const meaning = row.yields ? meaningOf(row.name, own) : undefined;
    if (!meaning || meaning.kind === 'row') return [row];
    if (meaning.kind === 'custom') return [];
    const { summary, argument } = meaning.kind === 'skill' ? skillEntry(meaning.skill) : promptEntry(meaning.prompt);
    return [{ ...row, summary, argument, ...(row.chat && { chat: { ...row.chat, summary } }) }];
  });
}

/**
 * The commands for an app's own menu, most wanted first (SPEC 12.1, 12.2): the essentials, then the tenant's own, then
 * the other rows. It is one menu for all people, so it holds the owner's commands too.
 * @param app whether the app delivers no messages by themselves.
 */
export function nativeMenu(own: OwnCommands = NO_OWN, app: Pick<Asker, 'withoutMessages'> = {}): Menu {
  const { custom } = winners(own);
  const rows = menuRows(own);
  const wantedIn = (group: boolean) =>
    rows
      .filter((row) => mayRun(row, { role: 'owner', group, ...app }).ok)
      .map(rowEntry)
      .sort((a, b) => a.wanted - b.wanted)
      .map(({ name, summary, argument }): MenuCommand => ({ name, description: summary, ...menuArgument(argument) }));
  const mine = custom.map(
    ({ name, description, argumentHint }): MenuCommand => ({
      ...{ name, description, custom: true },
      argument: { hint: argumentHint ?? 'text' },
    }),
  );
  const all = wantedIn(false);
  return { private: [...all.slice(0, ESSENTIALS), ...mine, ...all.slice(ESSENTIALS)], group: wantedIn(true) };
}
