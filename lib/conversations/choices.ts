import { mayRun } from '../commands/gate.ts';
import { commandNamed } from '../commands/registry.ts';
import { type Base, decideGoalClear, decideGoBack, decideMessage, decideUndo } from '../domain/decide.ts';
import type { Draft } from '../domain/events.ts';
import type { State } from '../domain/state.ts';
import type { ActionItem, ActionTarget } from '../ports/actions.ts';
import type { IncomingMessage } from '../ports/chatApp.ts';
import type { WebhookDeps } from './deps.ts';
import { route } from './route.ts';
import type { Scene } from './scene.ts';

/** What picking a choice does: the command that answers for it, and the decision. */
export interface Doing {
  command?: string;
  decide: (state: State, base: Base) => Draft;
}

/** Checked again at the moment of the press, against who the person is now (SPEC 9.1). */
function permitted(doing: Doing, scene: Scene): boolean {
  const command = doing.command === undefined ? undefined : commandNamed(doing.command);
  return command ? mayRun(command, scene.asker).ok : scene.asker.role !== 'stranger';
}

/** What the choice does; undefined if the person may not do it here any more (SPEC 9.1). */
export function doingOf(target: ActionTarget, scene: Scene): Doing | undefined {
  const doing = doingFor(target, scene);
  return doing && permitted(doing, scene) ? doing : undefined;
}

function doingFor(target: ActionTarget, scene: Scene): Doing | undefined {
  switch (target.kind) {
    case 'undo':
      return { command: 'undo', decide: (state, base) => decideUndo(state, base, target.clear) };
    case 'clear-goal':
      return { command: 'goal', decide: (state, base) => decideGoalClear(state, base, target.goal) };
    case 'go-back':
      return { command: 'new', decide: (state, base) => decideGoBack(state, base, target.left) };
    case 'send':
      return { decide: (state, base) => decideMessage(state, base, { text: target.text }) };
    case 'run':
      return running(target.text, scene);
  }
}

/** A command that a press stands for, through the same reader and gate as a typed one (SPEC 4.9). */
function running(text: string, scene: Scene): Doing | undefined {
  const way = route({ typed: text, content: { text }, addressed: true, namesUs: true }, scene.asker);
  if (way.kind !== 'command') return undefined;
  const { command, args } = way;
  return { command: command.name, decide: (state, base) => command.handler.decide(state, { base, args }) };
}

/** A choice that a typed reply may pick, as long as the log's newest event is the one that showed it. */
export interface TypedChoice {
  item: ActionItem;
  doing: Doing;
}

/**
 * Reads a typed reply as a choice, in an app without buttons (SPEC 11.4): one digit picks a numbered choice; `yes` and
 * `no` pick only an answer that is marked as the yes or the no. Only while the choices are the only ones open in the
 * chat and were shown to this person; the caller checks that nothing came after them. Anything else is a message.
 */
export async function typedChoice(
  deps: WebhookDeps,
  scene: Scene,
  message: IncomingMessage,
): Promise<TypedChoice | undefined> {
  const typed = message.typed?.trim().toLowerCase() ?? '';
  if (scene.app.limits.hasButtons || !/^(?:[1-9]|yes|no)$/u.test(typed)) return undefined;
  const { tenant, place } = scene.place;
  const items = await deps.actions.list({ tenant, channelId: scene.channel.id, chat: message.to.chat });
  const open = items.filter(({ expiresAt }) => expiresAt > deps.runtime.now());
  const [item] = open;
  if (!item || open.length > 1 || item.person !== message.person.id || item.place !== place) return undefined;
  const choice = item.choices.find(({ answers }, n) => answers === typed || String(n + 1) === typed);
  const doing = choice && doingOf(choice.target, scene);
  return doing && { item, doing };
}
