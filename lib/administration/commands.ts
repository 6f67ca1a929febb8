import * as z from 'zod';
import { registryEntries } from '../commands/catalog.ts';
import { KIND_WORDS, meaningOf, unreachable } from '../commands/meaning.ts';
import { type PromptCommand, promptCommands } from '../commands/promptCommands.ts';
import type { CommandRecord, SkillRecord, TenantRecord } from '../ports/tenants.ts';
import { publishMenus } from './menus.ts';
import { clashOf, DESCRIPTION_CHARS, roomFault, TEXT_CHARS, visible } from './own.ts';
import { badFields, notFound } from './problem.ts';
import { type Handler, loadTenant, parse, readBody, thingName } from './request.ts';

const HINT_CHARS = 200;

const metaSchema = z.strictObject({
  description: visible(DESCRIPTION_CHARS),
  enabled: z.boolean().default(true),
  argumentHint: visible(HINT_CHARS).optional(),
  who: z.enum(['people', 'owner']).default('people'),
});

/** A custom command as it is put: the two files of its folder (SPEC 10.1). */
export const commandSchema = z.strictObject({ meta: metaSchema, template: visible(TEXT_CHARS) });

/** The record of a command. */
export function commandRecord(name: string, { meta, template }: z.infer<typeof commandSchema>): CommandRecord {
  const { argumentHint, ...rest } = meta;
  return { name, ...rest, ...(argumentHint === undefined ? {} : { argumentHint }), template };
}

/** A custom command as the API shows it, with the reason if its name never leads to it (SPEC 4.4). */
function commandView({ name, template, ...meta }: CommandRecord, tenant: TenantRecord) {
  const reason = meta.enabled ? unreachable('custom', name, tenant) : undefined;
  return { name, meta, template, ...(reason === undefined ? {} : { unreachable: reason }) };
}

/** The tenant as it is with this command. */
function having(tenant: TenantRecord, command: CommandRecord): TenantRecord {
  return { ...tenant, commands: [...tenant.commands.filter(({ name }) => name !== command.name), command] };
}

/** The registry's rows, then custom commands, skills and prompts of tool servers, the unreachable ones too (SPEC 15.5). */
export const listCommands: Handler = async (c, deps) => {
  const tenant = await loadTenant(c, deps);
  const rows = registryEntries().map((entry) => {
    const hidden = hiddenRow(entry.name, tenant);
    return { kind: 'built-in', ...entry, ...(hidden === undefined ? {} : { unreachable: hidden }) };
  });
  const prompts = promptCommands(tenant.toolServers).map(promptRow(tenant));
  return c.json([
    ...rows,
    ...tenant.commands.map(customRow(tenant)),
    ...tenant.skills.map(skillRow(tenant)),
    ...prompts,
  ]);
};

/** Why a row's name does not lead to it: it gives way to the tenant's own. */
function hiddenRow(name: string, tenant: TenantRecord): string | undefined {
  const meaning = meaningOf(name, tenant);
  if (!meaning || meaning.kind === 'row') return undefined;
  return `The ${KIND_WORDS[meaning.kind]} of this name comes first.`;
}

const customRow = (tenant: TenantRecord) => (command: CommandRecord) => {
  const { meta, unreachable: reason } = commandView(command, tenant);
  const { description, argumentHint, enabled, who } = meta;
  return {
    ...{ kind: 'custom', name: command.name, section: 'custom', summary: description, enabled, who },
    ...(argumentHint === undefined ? {} : { argument: { kind: 'text', hint: argumentHint } }),
    ...(reason === undefined ? {} : { unreachable: reason }),
  };
};

const skillRow =
  (tenant: TenantRecord) =>
  ({ name, description }: SkillRecord) => {
    const reason = unreachable('skill', name, tenant);
    const row = { kind: 'skill', name, section: 'skills', summary: description };
    return { ...row, ...(reason === undefined ? {} : { unreachable: reason }) };
  };

const promptRow =
  (tenant: TenantRecord) =>
  ({ name, server, prompt }: PromptCommand) => {
    const reason = unreachable('prompt', name, tenant);
    const row = { kind: 'prompt', name, section: 'prompts', summary: prompt.description ?? '', server };
    return { ...row, ...(reason === undefined ? {} : { unreachable: reason }) };
  };

export const getCommand: Handler = async (c, deps) => {
  const name = thingName(c);
  const tenant = await loadTenant(c, deps);
  return c.json(commandView(named(tenant, name), tenant));
};

function named({ tenant, commands }: TenantRecord, name: string): CommandRecord {
  const command = commands.find((one) => one.name === name);
  if (!command) throw notFound(`The tenant “${tenant}” has no custom command “${name}”.`);
  return command;
}

/** Stores a custom command, and publishes the menus that it changes; what does not go well there is in the answer. */
export const putCommand: Handler = async (c, deps) => {
  const name = thingName(c);
  const command = commandRecord(name, parse(commandSchema, await readBody(c)));
  const tenant = await loadTenant(c, deps);
  const isNew = !tenant.commands.some((one) => one.name === name);
  const fault = clashOf(name, tenant.commands) ?? roomFault(having(tenant, command));
  if (fault !== undefined) throw badFields({ field: 'name', reason: fault });
  await deps.tenants.putCommand(tenant.tenant, command);
  deps.logger.info('administration.command.put', { tenant: tenant.tenant, command: name });
  const menus = await publishMenus(deps, tenant.tenant);
  return c.json({ ...commandView(command, having(tenant, command)), menus }, isNew ? 201 : 200);
};

/** Deletes a custom command. There is an answer only if a menu could not be published. */
export const deleteCommand: Handler = async (c, deps) => {
  const name = thingName(c);
  const tenant = await loadTenant(c, deps);
  named(tenant, name);
  await deps.tenants.deleteCommand(tenant.tenant, name);
  deps.logger.info('administration.command.deleted', { tenant: tenant.tenant, command: name });
  const menus = await publishMenus(deps, tenant.tenant);
  return menus.every(({ published }) => published) ? c.body(null, 204) : c.json({ menus });
};
