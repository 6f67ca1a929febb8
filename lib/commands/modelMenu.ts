import type { ActionChoice, MenuView } from '../ports/actions.ts';
import type { ModelFacts, ReplyContext } from './command.ts';
import { Choices, type Drawn, heading } from './menuChoices.ts';
import { defaultModelName, modelWords } from './settingWords.ts';
import { escapeMarkdown } from './words.ts';

/** The models of one provider, or those whose name has something in it; the one in use is ticked. */
export function modelsView(context: ReplyContext, view: MenuView): Drawn {
  const { tenant } = context;
  const inUse = modelInUse(context, view);
  const provider = view.provider ?? providerOf(context, inUse);
  const { match } = view;
  const models = withInUse(context, provider, inUse).filter((model) =>
    match === undefined ? model.provider === provider : model.name.toLowerCase().includes(match),
  );
  const at = new Choices(context, view);
  const page = pageOf(context, view, {
    values: models.map((model) => ({ label: match === undefined ? model.model : model.name, model })),
    ticked: models.findIndex(({ name }) => name === inUse),
    others: otherChoices(at, view, new Set(tenant.models.map((model) => model.provider)).size),
  });
  const choices = page.values.map(({ label, model }) => at.pick(label, { model: model.name }, model.name === inUse));
  return { text: textOf(context, view, provider), choices: [...choices, ...page.rest] };
}

function otherChoices(at: Choices, { match }: MenuView, providers: number): ActionChoice[] {
  const others = match !== undefined ? [at.open('All models', { menu: 'models' })] : [];
  return [...others, ...(providers > 1 ? [at.open('Other providers', { menu: 'providers' })] : []), ...at.back()];
}

function textOf({ chat, tenant }: ReplyContext, view: MenuView, provider: string | undefined): string {
  const byDefault = defaultModelName(tenant);
  const name = view.scope === 'chat' ? modelWords(chat) : escapeMarkdown(byDefault ?? 'none is set up');
  const whose = view.match === undefined && provider !== undefined ? `\n\nModels of ${escapeMarkdown(provider)}:` : '';
  return `${heading('Model', view)}: **${name}**${whose}`;
}

/** The providers to choose from. */
export function providersView(context: ReplyContext, view: MenuView): Drawn {
  const inUse = providerOf(context, modelInUse(context, view));
  const names = [...new Set(context.tenant.models.map(({ provider }) => provider))];
  const at = new Choices(context, view);
  const page = pageOf(context, view, { values: names, ticked: names.indexOf(inUse ?? ''), others: at.back() });
  const choices = page.values.map((provider) =>
    at.open(provider === inUse ? `✓ ${provider}` : provider, { menu: 'models', provider }),
  );
  return {
    text: view.scope === 'chat' ? 'Which provider?' : 'Which provider for new chats?',
    choices: [...choices, ...page.rest],
  };
}

function modelInUse({ chat, tenant }: ReplyContext, { scope }: MenuView): string | undefined {
  return scope === 'chat' ? chat.model : defaultModelName(tenant);
}

/** The provider of the model in use; if that one is gone, the first there is. */
function providerOf({ tenant, chat }: ReplyContext, inUse: string | undefined): string | undefined {
  const names = new Set(tenant.models.map(({ provider }) => provider));
  const [named = ''] = (inUse ?? chat.missing ?? '').split('/');
  return names.has(named) || inUse !== undefined ? named : [...names][0];
}

/** The models that are offered. The one in use is always among them, though a provider may not list it. */
function withInUse(
  { tenant, chat }: ReplyContext,
  provider: string | undefined,
  inUse: string | undefined,
): ModelFacts[] {
  const { models } = tenant;
  if (inUse === undefined || provider === undefined || !inUse.startsWith(`${provider}/`)) return [...models];
  if (models.some(({ name }) => name === inUse) || chat.missing === inUse) return [...models];
  const { contextWindow = 0, efforts, fastService: fast } = chat;
  return [{ name: inUse, provider, model: inUse.slice(provider.length + 1), contextWindow, efforts, fast }, ...models];
}

/** What a page of values holds, and the choices behind them. */
interface Page<T> {
  values: T[];
  rest: ActionChoice[];
}

/**
 * The page of the view, within the app's `buttonLimit`. Where there are more, the last choice is More; on the last page it
 * leads back to the first.
 */
function pageOf<T>(
  context: ReplyContext,
  view: MenuView,
  { values, ticked, others }: { values: T[]; ticked: number; others: ActionChoice[] },
): Page<T> {
  const room = context.buttonLimit - others.length;
  if (values.length <= room) return { values, rest: others };
  const size = Math.max(1, room - 1);
  const pages = Math.ceil(values.length / size);
  const page = Math.min(view.page ?? Math.max(0, Math.floor(ticked / size)), pages - 1);
  const isLast = page + 1 === pages;
  const more = new Choices(context, view).open(isLast ? 'From the start' : 'More', {
    ...view,
    page: isLast ? 0 : page + 1,
  });
  return { values: values.slice(page * size, (page + 1) * size), rest: [...others, more] };
}
