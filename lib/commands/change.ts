import { type Base, decideOptions, ran } from '../domain/decide.ts';
import type { Draft, Event, Mode, OptionsChange } from '../domain/events.ts';
import { isFreer, modeInForce } from '../domain/settings.ts';
import type { State } from '../domain/state.ts';
import type { MenuView } from '../ports/actions.ts';
import type { CommandContext, TenantFacts } from './command.ts';

/** A change of settings that a person asks for, typed or picked from a menu. */
export interface Wish {
  change: OptionsChange;
  /** The menu that it belongs to. */
  view: MenuView;
  /** Picked from the menu, which is shown again. */
  picked?: true;
  /** It was confirmed, in the conversation that began with this event. */
  sure?: true;
  conversation?: number;
  /** What was asked for where it became something near it. */
  asked?: string;
  /** A faster service was asked for as well, and the model has none: that part changes nothing. */
  noFast?: true;
}

/** Everything back to the defaults. */
export const RESET = { model: null, effort: null, fast: null, mode: null } as const satisfies OptionsChange;

export function isReset(change: OptionsChange): boolean {
  return Object.keys(RESET).every((key) => change[key] === null);
}

/** The mode that the change leads to, if it changes the mode. */
function modeAfter({ mode }: OptionsChange, { defaults }: TenantFacts): Mode | undefined {
  return mode === undefined ? undefined : (mode ?? modeInForce({}, defaults));
}

/** Whether it asks first: a default, going back to the defaults, a freer mode (SPEC 11.5). */
function asksFirst(state: State, { change, view }: Wish, tenant: TenantFacts): boolean {
  if (view.scope === 'defaults' || isReset(change)) return true;
  const to = modeAfter(change, tenant);
  return to !== undefined && isFreer(modeInForce(state.options, tenant.defaults), to);
}

/** Whether it names a model that nobody here has. */
function isGone(state: State, { model }: OptionsChange, { models, defaults }: TenantFacts): boolean {
  if (typeof model !== 'string' || model === state.options.model || model === defaults.model) return false;
  return !models.some(({ name }) => name === model);
}

/**
 * A change of the chat's settings. Outcomes of what changes nothing: `confirm` (it asks first), `gone` (a model that
 * nobody has any more), `moved-on` (a Yes in another conversation than the one it was asked in).
 */
export function decideChange(state: State, wish: Wish, context: Pick<CommandContext, 'base' | 'tenant'>): Draft {
  const { base, tenant } = context;
  const { change, view, picked, asked, noFast } = wish;
  if (wish.sure && wish.conversation !== state.conversation) return ran(base, 'moved-on');
  if (isGone(state, change, tenant))
    return ran(base, 'gone', { typed: change.model, view: { ...view, menu: 'models' } });
  if (!wish.sure && asksFirst(state, wish, tenant)) return ran(base, 'confirm', { view: { ...view, confirm: change } });
  const draft = decideOptions(state, base, change, tenant.defaults);
  const beside = {
    ...(picked ? { view } : {}),
    ...(asked === undefined ? {} : { asked }),
    ...(noFast ? { noFast } : {}),
    ...(asksAgain(state, wish) ? { forgetsGrants: true as const } : {}),
  };
  return { ...draft, data: { ...draft.data, ...beside } };
}

/** Whoever wants to be asked is asked, also about what they had allowed in this chat. */
function asksAgain({ grants = [] }: State, { change, view }: Wish): boolean {
  return grants.length > 0 && view.scope === 'chat' && (change.mode === 'ask' || isReset(change));
}

/** How much of what could not be read is shown again, in characters. */
const TYPED_CHARS = 64;

/** An argument that could not be read: the view lists what can be. @param several whether it could mean several of them. */
export function unread(base: Base, typed: string, view: MenuView, several = view.match !== undefined): Draft {
  const line = [...typed.replaceAll(/\s+/gu, ' ')].slice(0, TYPED_CHARS).join('');
  return ran(base, 'unread', { typed: line, view, ...(several ? { several } : {}) });
}

/** What is in an event beside what its schema names. */
interface Beside {
  view?: MenuView;
  typed?: string;
  /** What was typed could mean several of what the view lists. */
  several?: true;
  asked?: string;
  /** A faster service was asked for, and the model has none. */
  noFast?: true;
  change?: OptionsChange;
}

/** The view to show, and what was typed or asked for, as `decideChange` and the commands put it into the event. */
export function besideOf(event: Event): Beside {
  const beside = event.type === 'command.ran' ? event.data.detail : event.type === 'options' ? event.data : {};
  return (beside ?? {}) as Beside;
}
