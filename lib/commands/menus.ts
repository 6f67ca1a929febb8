import type { OptionsChange } from '../domain/events.ts';
import { EFFORTS, MODES } from '../domain/events.ts';
import { modeInForce } from '../domain/settings.ts';
import type { MenuView } from '../ports/actions.ts';
import { isReset, RESET } from './change.ts';
import type { Reply, ReplyContext } from './command.ts';
import { Choices, type Drawn, heading } from './menuChoices.ts';
import { modelsView, providersView } from './modelMenu.ts';
import { MODE_ALLOWS, MODE_CONSENT, MODE_NAMES } from './modes.ts';
import { chatLines, defaultFacts, defaultLines, effortWords, modeWords, speedWords } from './settingWords.ts';
import { escapeMarkdown } from './words.ts';

type Draw = (context: ReplyContext, view: MenuView) => Drawn;

const DRAWERS: Record<MenuView['menu'], Draw> = {
  settings: settingsView,
  models: modelsView,
  providers: providersView,
  effort: effortView,
  fast: fastView,
  mode: modeView,
};

/** Draws a view (SPEC 11.5). @param lead what to say first. */
export function menuReply(context: ReplyContext, view: MenuView, lead: readonly string[] = []): Reply {
  const { confirm, ...plain } = view;
  const { text, choices } = confirm ? confirmation(context, plain, confirm) : DRAWERS[view.menu](context, plain);
  return { markdown: [...lead, text].join('\n\n'), choices };
}

/** Whether this version can draw the view. */
export function isDrawable(view: MenuView | undefined): view is MenuView {
  return view !== undefined && Object.hasOwn(DRAWERS, view.menu);
}

function settingsView(context: ReplyContext, view: MenuView): Drawn {
  const choices = new Choices(context, view);
  const isChat = view.scope === 'chat';
  const lines = isChat ? chatLines(context) : defaultLines(context.tenant);
  return {
    text: `**${isChat ? 'This chat' : 'New chats'}**\n\n${lines.join('\n')}`,
    choices: [
      choices.open('Model', { menu: 'models' }),
      choices.open('Effort', { menu: 'effort' }),
      choices.open('Speed', { menu: 'fast' }),
      choices.open('Mode', { menu: 'mode' }),
      choices.open(isChat ? 'New chats' : 'This chat', { menu: 'settings', scope: isChat ? 'defaults' : 'chat' }),
      choices.pick(isChat ? 'Back to the defaults' : 'Built-in defaults', RESET, false),
    ],
  };
}

function effortView(context: ReplyContext, view: MenuView): Drawn {
  const choices = new Choices(context, view);
  const isChat = view.scope === 'chat';
  const { chat, state, tenant } = context;
  const own = isChat ? state.options.effort : tenant.defaults.effort;
  const facts = isChat ? chat : defaultFacts(tenant);
  const levels = isChat ? EFFORTS.filter((level) => chat.efforts.includes(level)) : EFFORTS;
  return {
    text: `${heading('Effort', view)}: **${effortWords(facts)}**\n\nHow long I think before I answer.`,
    choices: [
      ...levels.map((effort) => choices.pick(effort, { effort }, own !== undefined && facts.effort === effort)),
      choices.pick('default', { effort: null }, own === undefined),
      ...choices.back(),
    ],
  };
}

function fastView(context: ReplyContext, view: MenuView): Drawn {
  const choices = new Choices(context, view);
  const { chat, tenant } = context;
  const isChat = view.scope === 'chat';
  const fast = isChat ? chat.fast : defaultFacts(tenant).fast;
  const hasService = isChat ? chat.fastService : tenant.models.some((model) => model.fast);
  const speed = isChat ? speedWords(chat) : fast ? 'fast' : 'standard';
  const none = isChat ? 'This model has no faster service.' : 'No model here has a faster service.';
  return {
    text: `${heading('Speed', view)}: **${speed}**\n\n${hasService ? 'Fast answers sooner, and costs more.' : none}`,
    choices: [
      ...(hasService ? [choices.pick('fast', { fast: true }, fast)] : []),
      choices.pick('standard', { fast: false }, !fast),
      ...choices.back(),
    ],
  };
}

function modeView(context: ReplyContext, view: MenuView): Drawn {
  const choices = new Choices(context, view);
  const mode = view.scope === 'chat' ? context.chat.mode : defaultFacts(context.tenant).mode;
  return {
    text: `${heading('Mode', view)}: **${MODE_NAMES[mode]}**\n\n${MODE_ALLOWS[mode]}`,
    choices: [...MODES.map((one) => choices.pick(MODE_NAMES[one], { mode: one }, one === mode)), ...choices.back()],
  };
}

/** The question before a change that asks first: it says what the change will allow (SPEC 7.5, 11.5). */
function confirmation(context: ReplyContext, view: MenuView, change: OptionsChange): Drawn {
  const choices = new Choices(context, view).confirm(change, context.state.conversation);
  if (view.scope === 'defaults') return { text: defaultQuestion(context, change), choices };
  const { tenant } = context;
  if (isReset(change)) {
    const lines = defaultLines(tenant).join('\n');
    return { text: `Go back to the defaults in this chat?\n\n${lines}`, choices };
  }
  const mode = modeInForce(change.mode ? { mode: change.mode } : {}, tenant.defaults);
  return { text: `Turn on ${MODE_NAMES[mode]} in this chat? ${MODE_CONSENT[mode]}`, choices };
}

const REACH = 'It counts in every new chat, and in every chat that has not picked its own.';

function defaultQuestion({ tenant }: ReplyContext, change: OptionsChange): string {
  if (isReset(change)) {
    const lines = defaultLines({ ...tenant, defaults: {} }).join('\n');
    return `Reset the defaults for new chats? They will be:\n\n${lines}\n\n${REACH}`;
  }
  const { model, effort, fast, mode } = change;
  const value =
    mode != null
      ? `Mode: ${modeWords({ mode })}`
      : typeof model === 'string'
        ? `Model: ${escapeMarkdown(model)}`
        : typeof fast === 'boolean'
          ? `Speed: ${fast ? 'fast' : 'standard'}`
          : `Effort: ${effortWords(effort == null ? {} : { effort })}`;
  return `Make this the default for new chats?\n\n- ${value}\n\n${REACH}`;
}
