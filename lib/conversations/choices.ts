import { detailOf, type Handler, messageOf } from '../commands/command.ts';
import { mayRun } from '../commands/gate.ts';
import { NOTICES, type NoticeName } from '../commands/notices.ts';
import { pickedPerson } from '../commands/people.ts';
import { pickedAnswer, question } from '../commands/question.ts';
import { commandNamed } from '../commands/registry.ts';
import { nextPage, pickedConversation, resume } from '../commands/resume.ts';
import { type Base, decideGoalClear, decideGoBack, decideMessage, decideUndo } from '../domain/decide.ts';
import { type Address, type Content, type Draft, eventOf } from '../domain/events.ts';
import type { State } from '../domain/state.ts';
import type { ActionItem, ActionTarget } from '../ports/actions.ts';
import type { ChatApp, IncomingMessage } from '../ports/chatApp.ts';
import type { WebhookDeps } from './deps.ts';
import { isOpen } from './openActions.ts';
import { prepared } from './prepare.ts';
import { route } from './route.ts';
import type { Scene } from './scene.ts';
import { settingsDoing } from './settingsChoices.ts';

/** What picking a choice does: the command that answers for it, and the decision. */
export interface Doing {
  command?: string;
  decide: (state: State, base: Base) => Draft;
  /** What is around it afterwards, where I/O before the decision has changed that. */
  scene?: Scene;
}

/** A choice that is being picked, by whom and where. */
export interface Picking {
  deps: WebhookDeps;
  scene: Scene;
  state: State;
  base: Base;
  target: ActionTarget;
}

/** Checked again at the moment of the press, against who the person is now (SPEC 9.1); no guest answers a question (7.4). */
function permitted(doing: Doing, scene: Scene, target: ActionTarget): boolean {
  if (target.kind === 'answer' && scene.asker.role === 'guest') return false;
  const command = doing.command === undefined ? undefined : commandNamed(doing.command);
  return command ? mayRun(command, scene.asker).ok : scene.asker.role !== 'stranger';
}

/** What the choice does; undefined if the person may not do it here any more (SPEC 9.1). */
export async function doingOf(picking: Picking): Promise<Doing | undefined> {
  const { scene, target } = picking;
  const doing = await doingFor(picking);
  return doing && permitted(doing, scene, target) ? doing : undefined;
}

async function doingFor(picking: Picking): Promise<Doing | undefined> {
  const { target } = picking;
  switch (target.kind) {
    case 'undo':
      return { command: 'undo', decide: (state, base) => decideUndo(state, base, target.clear) };
    case 'clear-goal':
      return { command: 'goal', decide: (state, base) => decideGoalClear(state, base, target.goal) };
    case 'go-back':
      return { command: 'new', decide: (state, base) => decideGoBack(state, base, target.left) };
    case 'send': {
      const content = await saidIn(picking, target);
      return { decide: (state, base) => decideMessage(state, base, content) };
    }
    case 'menu':
    case 'set':
      return settingsDoing(picking, target);
    case 'resume':
      return picked(picking, 'resume', resume, (state, context) =>
        pickedConversation(state, context, target.conversation),
      );
    case 'resume-list':
      return { command: 'resume', decide: (_state, base) => nextPage(base, target) };
    case 'people':
    case 'access':
      return { command: 'people', decide: (_state, base) => pickedPerson({ base }, target) };
    case 'answer':
      return picked(picking, 'question', question, (state, context) => pickedAnswer(state, context, target));
    case 'run':
      return running(picking, await saidIn(picking, target));
  }
}

/** A pick that is decided on what its command prepares. */
async function picked(
  { deps, scene, state, base }: Picking,
  command: string,
  handler: Handler,
  decide: Handler['decide'],
): Promise<Doing> {
  return { command, decide: await prepared(deps, scene, state, { ...handler, decide }, { base, args: '' }) };
}

/** Notices that say that the person may not do it. */
const FORBIDDEN: ReadonlySet<NoticeName> = new Set(['not-permitted', 'not-let-in']);

/** A command that a press stands for, through the same reader and gate as a typed one (SPEC 4.9). */
async function running({ deps, scene, state, base }: Picking, content: Content): Promise<Doing | undefined> {
  const said = { typed: content.text, content, addressed: true, namesUs: true };
  const way = route(said, scene.asker, scene.tenant);
  if (way.kind === 'message') return { decide: (current, by) => decideMessage(current, by, way.content) };
  if (way.kind === 'silence' || (way.kind === 'notice' && FORBIDDEN.has(way.notice))) return undefined;
  const { args, quote } = way;
  const [command, handler] =
    way.kind === 'command' ? [way.command.name, way.command.handler] : [way.notice, NOTICES[way.notice]];
  const given = { base, args, ...(quote ? { quote } : {}) };
  return { command, decide: await prepared(deps, scene, state, handler, given) };
}

/** The words of a choice, with what was quoted when they were typed (SPEC 3.3); erased meanwhile, without it. */
async function saidIn(
  { deps, scene }: Picking,
  { text, quotedIn }: { text: string; quotedIn?: number },
): Promise<Content> {
  if (quotedIn === undefined) return { text };
  const shown = await deps.log.at(scene.place, quotedIn, { strong: true });
  const asked = eventOf(shown, 'command.ran');
  const { quote } = asked ? detailOf<Pick<Content, 'quote'>>(asked) : {};
  return messageOf(text, quote ? { quote } : {});
}

/** Whether the bot has shown nothing in this place since these choices (SPEC 11.4). */
export function isNewest({ id, seq }: ActionItem, state: State): boolean {
  return seq === state.seq || (state.question?.id === id && state.question.shown === state.seq);
}

/** Choices of a question that the place has moved on from: they are open no more (SPEC 7.2). */
function isClosedQuestion({ id, choices }: ActionItem, { question: open }: State): boolean {
  return choices[0]?.target.kind === 'answer' && open?.id !== id;
}

/** A choice that a typed reply may pick, as long as the log's newest event is the one that showed it. */
export interface TypedChoice {
  item: ActionItem;
  doing: Doing;
}

/** Whether the message may pick a choice, as far as its words tell. */
export function mayPick({ limits }: Pick<ChatApp, 'limits'>, message: Pick<IncomingMessage, 'typed'>): boolean {
  return !limits.hasButtons && /^(?:[1-9]|yes|no)$/u.test(typedIn(message));
}

function typedIn({ typed }: Pick<IncomingMessage, 'typed'>): string {
  return typed?.trim().toLowerCase() ?? '';
}

/** Whether the bot has said nothing to anybody else since: the state knows of this person's place alone. */
async function isNewestInGroup(deps: WebhookDeps, scene: Scene, { seq }: ActionItem, to: Address): Promise<boolean> {
  const { app, channel, place } = scene;
  const [shown, sent] = await Promise.all([
    deps.log.at(place, seq, { strong: true }),
    app.sender(channel).newestSent?.(to),
  ]);
  return shown !== undefined && (sent === undefined || sent.startsWith(`${shown.id}:`));
}

/**
 * Reads a typed reply as a choice, in an app without buttons (SPEC 11.4): one digit picks a numbered choice; `yes` and
 * `no` pick only an answer that is marked as the yes or the no. Only while the choices are the only ones open for this
 * person in the chat, and its last message; the caller checks that nothing came after them. Anything else is a message.
 */
export async function typedChoice(
  deps: WebhookDeps,
  scene: Scene,
  state: State,
  message: IncomingMessage,
): Promise<TypedChoice | undefined> {
  if (!mayPick(scene.app, message)) return undefined;
  const typed = typedIn(message);
  const { tenant, place } = scene.place;
  const items = await deps.actions.list({ tenant, channelId: scene.channel.id, chat: message.to.chat });
  const mine = items.filter(({ person }) => person === message.person.id);
  const open = mine.filter((one) => isOpen(one, deps.runtime.now()) && !isClosedQuestion(one, state));
  const [item] = open;
  // What came after the choices makes them count no more; nothing may be done for them then, not even before the append.
  if (!item || !isNewest(item, state) || open.length > 1 || item.place !== place) return undefined;
  if (message.to.group && !(await isNewestInGroup(deps, scene, item, message.to))) return undefined;
  const choice = item.choices.find(({ answers }, n) => answers === typed || String(n + 1) === typed);
  const base = {
    delivery: { key: message.key, update: message.update, sentAt: message.sentAt },
    person: message.person,
    to: message.to,
  };
  const doing = choice && (await doingOf({ deps, scene, state, base, target: choice.target }));
  return doing && { item, doing };
}
