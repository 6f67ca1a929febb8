import type { ChatOptions, Effort, Event } from '../domain/events.ts';
import { modeInForce } from '../domain/settings.ts';
import type { State } from '../domain/state.ts';
import { besideOf } from './change.ts';
import type { ChatFacts, ModelFacts, ReplyContext, TenantFacts } from './command.ts';
import { MODE_ALLOWS, MODE_NAMES } from './modes.ts';
import { escapeMarkdown, isAnswering } from './words.ts';

/** The model of a chat in words. One that nobody has any more is said, not replaced. */
export function modelWords({ model, missing }: ChatFacts): string {
  if (missing !== undefined) return `${escapeMarkdown(missing)} (no longer set up here)`;
  return model === undefined ? 'none is set up' : escapeMarkdown(model);
}

/** What to do about a model that nobody has any more. */
export function pickAnother({ slash, asker }: Pick<ReplyContext, 'slash' | 'asker'>): string {
  return asker.group ? 'Whoever runs this bot has to set another.' : `Pick another with ${slash('model')}.`;
}

/** The effort of a chat in words. */
export function effortWords({ effort }: Pick<ChatFacts, 'effort'>): string {
  return effort ?? 'default';
}

/** The speed of a chat in words. */
export function speedWords({ fast, fastService }: ChatFacts): string {
  if (!fast) return 'standard';
  return fastService ? 'fast' : 'standard (this model has no faster service)';
}

/** The mode of a chat in words, with what it means. */
export function modeWords({ mode }: Pick<ChatFacts, 'mode'>): string {
  return `${MODE_NAMES[mode]}. ${MODE_ALLOWS[mode]}`;
}

/** All settings of this chat, one a line. */
export function chatLines({ chat }: Pick<ReplyContext, 'chat'>): string[] {
  return [
    `- Model: ${modelWords(chat)}`,
    `- Effort: ${effortWords(chat)}`,
    `- Speed: ${speedWords(chat)}`,
    `- Mode: ${modeWords(chat)}`,
  ];
}

/** The model that new chats begin with, if there is any. */
function defaultModel({ models, defaults }: TenantFacts): ModelFacts | undefined {
  const wanted = defaults.model;
  if (wanted === undefined) return models[0];
  const ways: ((model: ModelFacts) => boolean)[] = [
    ({ name }) => name === wanted,
    ({ provider }) => provider === wanted,
    ({ model }) => model === wanted,
  ];
  return ways.map((way) => models.find(way)).find((found) => found !== undefined);
}

/** The name of that model, though nobody may have it. */
export function defaultModelName(tenant: TenantFacts): string | undefined {
  return defaultModel(tenant)?.name ?? tenant.defaults.model;
}

/** The defaults, as chat facts: what a chat without settings of its own answers with. */
export function defaultFacts(tenant: TenantFacts): Pick<ChatOptions, 'model'> & {
  effort?: Effort;
  fast: boolean;
  mode: ChatFacts['mode'];
} {
  const { effort, fast } = tenant.defaults;
  const model = defaultModelName(tenant);
  return {
    ...(model === undefined ? {} : { model }),
    ...(effort === undefined ? {} : { effort }),
    ...{ fast: fast ?? false, mode: modeInForce({}, tenant.defaults) },
  };
}

/** All defaults for new chats, one a line. */
export function defaultLines(tenant: TenantFacts): string[] {
  const { model, effort, fast, mode } = defaultFacts(tenant);
  return [
    `- Model: ${model === undefined ? 'none is set up' : escapeMarkdown(model)}`,
    `- Effort: ${effortWords(effort === undefined ? {} : { effort })}`,
    `- Speed: ${fast ? 'fast' : 'standard'}`,
    `- Mode: ${modeWords({ mode })}`,
  ];
}

/** Whether the event put plan mode on while a question about tools was open (SPEC 7.2). */
export function closesApproval(event: Event): boolean {
  return event.type === 'options' && event.data.closesApproval === true;
}

export const APPROVAL_CLOSED = 'My open question is closed, and I did not do what it asked about.';

/** When a change counts, where an answer is being written (SPEC 4.8); empty where it counts at once. */
export function fromNextAnswer(state: State): string[] {
  return isAnswering(state) ? ['This counts from the next answer; the one that I am writing goes on as it began.'] : [];
}

/** What has to be said beside a change of this chat's settings; empty for nothing. */
export function changeNotes(context: ReplyContext, asked?: string): string[] {
  const { chat, state, event, tenant } = context;
  if (event.type !== 'options') return [];
  const { options } = event.data;
  const { noFast } = besideOf(event);
  const wanted = asked ?? state.options.effort ?? tenant.defaults.effort;
  const isAboutModel = typeof options.model === 'string' || typeof options.effort === 'string';
  return [
    ...(isAboutModel && chat.effort !== undefined && wanted !== chat.effort
      ? [`This model has no level ${wanted}; ${chat.effort} is the nearest that it has.`]
      : []),
    ...(noFast || (typeof options.model === 'string' && options.fast === undefined && chat.fast && !chat.fastService)
      ? ['This model has no faster service, so it answers at its standard speed.']
      : []),
    ...(closesApproval(event) ? [APPROVAL_CLOSED] : []),
    ...(event.data.forgetsGrants ? ['Tools that were allowed in this chat ask again.'] : []),
    ...fromNextAnswer(state),
  ];
}
