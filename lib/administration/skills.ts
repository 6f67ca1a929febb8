import * as z from 'zod';
import { unreachable } from '../commands/meaning.ts';
import type { SkillRecord, TenantRecord } from '../ports/tenants.ts';
import { publishMenus } from './menus.ts';
import { clashOf, DESCRIPTION_CHARS, roomFault, TEXT_CHARS, visible } from './own.ts';
import { badFields, notFound } from './problem.ts';
import { type Handler, loadTenant, parse, readBody, thingName } from './request.ts';

/** A skill as it is put: the description of its front matter, and its text (SPEC 10.4). */
export const skillSchema = z.strictObject({ description: visible(DESCRIPTION_CHARS), text: visible(TEXT_CHARS) });

/** A skill as the API shows it, with the reason if its name never leads to it (SPEC 4.4). */
function skillView(skill: SkillRecord, tenant: TenantRecord) {
  const reason = unreachable('skill', skill.name, tenant);
  return { ...skill, ...(reason === undefined ? {} : { unreachable: reason }) };
}

export const listSkills: Handler = async (c, deps) => {
  const tenant = await loadTenant(c, deps);
  const rows = tenant.skills.map((skill) => skillView(skill, tenant));
  return c.json(rows.map(({ text, ...row }) => ({ ...row, characters: text.length })));
};

export const getSkill: Handler = async (c, deps) => {
  const name = thingName(c);
  const tenant = await loadTenant(c, deps);
  return c.json(skillView(named(tenant, name), tenant));
};

function named({ tenant, skills }: TenantRecord, name: string): SkillRecord {
  const skill = skills.find((one) => one.name === name);
  if (!skill) throw notFound(`The tenant “${tenant}” has no skill “${name}”.`);
  return skill;
}

export const putSkill: Handler = async (c, deps) => {
  const name = thingName(c);
  const skill = { name, ...parse(skillSchema, await readBody(c)) };
  const tenant = await loadTenant(c, deps);
  const isNew = !tenant.skills.some((one) => one.name === name);
  const then = { ...tenant, skills: [...tenant.skills.filter((one) => one.name !== name), skill] };
  const fault = clashOf(name, tenant.skills) ?? roomFault(then);
  if (fault !== undefined) throw badFields({ field: 'name', reason: fault });
  await deps.tenants.putSkill(tenant.tenant, skill);
  deps.logger.info('administration.skill.put', { tenant: tenant.tenant, skill: name });
  const menus = await publishMenus(deps, tenant.tenant);
  return c.json({ ...skillView(skill, then), menus }, isNew ? 201 : 200);
};

/** Deletes a skill. There is an answer only if a menu could not be published. */
export const deleteSkill: Handler = async (c, deps) => {
  const name = thingName(c);
  const tenant = await loadTenant(c, deps);
  named(tenant, name);
  await deps.tenants.deleteSkill(tenant.tenant, name);
  deps.logger.info('administration.skill.deleted', { tenant: tenant.tenant, skill: name });
  const menus = await publishMenus(deps, tenant.tenant);
  return menus.every(({ published }) => published) ? c.body(null, 204) : c.json({ menus });
};
