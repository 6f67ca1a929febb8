import { catalogFor } from '../commands/catalog.ts';
import type { Suggested } from '../commands/command.ts';
import { mayRun } from '../commands/gate.ts';
import { meaningOf, useOf } from '../commands/meaning.ts';
import type { ChatApp, IncomingCompletion } from '../ports/chatApp.ts';
import type { WebhookDeps } from './deps.ts';
import { placeRef, type Scene, sceneOf, type Taken } from './scene.ts';

/** What a command's argument can be, for a person who is typing it: nothing that they may not use (SPEC 4.9, 12.2). */
export async function completions(
  deps: WebhookDeps,
  app: ChatApp,
  taken: Taken,
  { command, typed, person, to }: IncomingCompletion,
): Promise<string[]> {
  const place = placeRef(taken.channel, to, person.id);
  const scene = await sceneOf(deps, app, taken, { place, person: person.id, group: to.group === true });
  if (typeof scene === 'string') return [];
  const meaning = meaningOf(command, scene.tenant);
  if (meaning?.kind !== 'row' || !mayRun(useOf(meaning), scene.asker).ok) return [];
  const { argument } = meaning.row;
  const suggested = argument.kind === 'none' ? undefined : argument.suggested;
  const values = suggested ? SUGGESTIONS[suggested](deps, scene) : [];
  const wanted = typed.trim().toLowerCase();
  return values.filter((value) => value.toLowerCase().includes(wanted));
}

const SUGGESTIONS: Record<Suggested, (deps: WebhookDeps, scene: Scene) => string[]> = {
  models: (deps, { tenant }) => deps.listModels(tenant.providers).map(({ name }) => name),
  commands: (_deps, { asker, tenant }) =>
    asker.role === 'stranger' ? [] : catalogFor(asker, tenant).map(({ name }) => name),
};
