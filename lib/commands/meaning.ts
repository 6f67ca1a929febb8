import type { CommandRecord, SkillRecord, TenantRecord } from '../ports/tenants.ts';
import type { ChatUse, Command } from './command.ts';
import { type Asker, mayRun, type Refused } from './gate.ts';
import { nameKey } from './parse.ts';
import { type PromptCommand, promptCommands } from './promptCommands.ts';
import { commandNamed } from './registry.ts';

/** What a tenant adds to the registry. */
export type OwnCommands = Pick<TenantRecord, 'commands' | 'skills'> & Partial<Pick<TenantRecord, 'toolServers'>>;

export const NO_OWN: OwnCommands = { commands: [], skills: [] };

/** What a name stands for. */
export type Meaning =
  | { kind: 'row'; row: Command }
  | { kind: 'custom'; custom: CommandRecord }
  | { kind: 'skill'; skill: SkillRecord }
  | { kind: 'prompt'; prompt: PromptCommand };

/**
 * The one of this name: as it is written, else with `-` and `_` as the same. Two that differ in nothing else are refused
 * when the second is saved, but two saved at the same moment may both be there.
 */
function named<T extends { name: string }>(things: readonly T[], name: string): T | undefined {
  if (things.length === 0) return undefined;
  const written = name.toLowerCase();
  const key = nameKey(name);
  return things.find((one) => one.name === written) ?? things.find((one) => nameKey(one.name) === key);
}

/** Everything that a name could mean, the one that wins first (SPEC 4.4). One that is not enabled means nothing. */
function meaningsOf(name: string, own: OwnCommands): Meaning[] {
  const row = commandNamed(name);
  const custom = named(
    own.commands.filter(({ enabled }) => enabled),
    name,
  );
  const skill = named(own.skills, name);
  const prompt = named(promptCommands(own.toolServers ?? []), name);
  const rows: Meaning[] = row ? [{ kind: 'row', row }] : [];
  return [
    ...(row?.yields ? [] : rows),
    ...(custom ? [{ kind: 'custom', custom } as const] : []),
    ...(skill ? [{ kind: 'skill', skill } as const] : []),
    ...(prompt ? [{ kind: 'prompt', prompt } as const] : []),
    ...(row?.yields ? rows : []),
  ];
}

/** What a name means (SPEC 4.4); undefined if nothing. */
export function meaningOf(name: string, own: OwnCommands): Meaning | undefined {
  return meaningsOf(name, own)[0];
}

/** How a meaning may be used, for the gate (SPEC 4.9): a tenant's own work in private chats (SPEC 4.3). */
export function useOf(meaning: Meaning): { chat?: ChatUse } {
  if (meaning.kind === 'row') return meaning.row;
  return { chat: { who: meaning.kind === 'custom' ? meaning.custom.who : 'people', groups: false } };
}

/** Why this person may not use what the name means here (SPEC 4.5); undefined if they may, or if it means nothing. */
export function whyNot(name: string, asker: Asker, own: OwnCommands): Refused | undefined {
  const meaning = meaningOf(name, own);
  const permission = meaning && mayRun(useOf(meaning), asker);
  return permission && !permission.ok ? permission.why : undefined;
}

/** Why a command of this kind and name can never be reached, in words (SPEC 4.4); undefined if it can. */
export function unreachable(kind: Exclude<Meaning['kind'], 'row'>, name: string, own: OwnCommands): string | undefined {
  const meaning = meaningOf(name, own);
  if (!meaning || (meaning.kind === kind && nameOf(meaning) === name)) return undefined;
  if (meaning.kind === 'row') return `The built-in command /${meaning.row.name} has this name, and comes first.`;
  return `The ${KIND_WORDS[meaning.kind]} “${nameOf(meaning)}” has this name, and comes first.`;
}

/** What each kind is called. */
export const KIND_WORDS = { custom: 'custom command', skill: 'skill', prompt: 'prompt' } as const;

function nameOf(meaning: Meaning): string {
  switch (meaning.kind) {
    case 'row':
      return meaning.row.name;
    case 'custom':
      return meaning.custom.name;
    case 'skill':
      return meaning.skill.name;
    case 'prompt':
      return meaning.prompt.name;
  }
}
