import { besideOf } from './change.ts';
import type { Reply, ReplyContext } from './command.ts';
import { outcomeOf } from './command.ts';
import { isDrawable, menuReply } from './menus.ts';
import { changeNotes, effortWords, modelWords, modeWords, speedWords } from './settingWords.ts';
import { escapeMarkdown } from './words.ts';

/** What a settings command or a pick from its menu is answered with, from the event alone. */
export function settingReply(context: ReplyContext): Reply {
  const { event } = context;
  const { view, asked } = besideOf(event);
  const outcome = outcomeOf(event);
  if (outcome === 'moved-on') return { markdown: MOVED_ON, refusal: true };
  if (outcome === 'no-fast') return { markdown: `${NO_FAST} Nothing has changed.` };
  if (event.type === 'options' && !view) return { markdown: changed(context, asked) };
  if (!isDrawable(view)) return { markdown: 'I do not know this menu any more. Please open it again.' };
  return menuReply(context, view, event.type === 'options' ? changeNotes(context) : leadOf(context, outcome));
}

const MOVED_ON =
  'You have begun another conversation since, so I changed nothing. Open the menu again if you still want it.';
const NO_FAST = 'This model has no faster service.';

/** What a view begins with where something could not be done, or was done for new chats. */
function leadOf({ event }: ReplyContext, outcome: string | undefined): string[] {
  const { typed = '', several } = besideOf(event);
  if (outcome === 'gone') return [`The model ${escapeMarkdown(typed)} is no longer set up here. Nothing has changed.`];
  if (outcome === 'default-set') return ['Done, for all new chats.'];
  if (outcome !== 'unread') return [];
  const words = `“${escapeMarkdown(typed)}”`;
  return [several ? `Which do you mean by ${words}?` : `I do not know ${words} here. This is what there is:`];
}

/** A change that was typed, in one line. */
function changed(context: ReplyContext, asked: string | undefined): string {
  const { chat, event } = context;
  if (event.type !== 'options') return '';
  const { model, effort, fast, mode } = event.data.options;
  const values = [
    ...(model === undefined ? [] : [`Model: ${modelWords(chat)}.`]),
    ...(effort === undefined ? [] : [`Effort: ${effortWords(chat)}.`]),
    ...(fast === undefined ? [] : [`Speed: ${speedWords(chat)}.`]),
    ...(mode === undefined ? [] : [`Mode: ${modeWords(chat)}`]),
  ];
  return [...values, ...changeNotes(context, asked)].join(' ');
}
