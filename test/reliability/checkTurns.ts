import { isDeepStrictEqual } from 'node:util';
import { finalText, SURPLUS } from '../../lib/conversations/deliverReply.ts';
import type { StoredEvent } from '../../lib/ports/log.ts';
import { piecesOf, type ShownMessage } from './chat.ts';
import { claimOf } from './watch.ts';
import type { World } from './world.ts';

/** What a person reads of a turn at one time: until a question is answered, or a boundary closes it, or the turn ends. */
interface Reply {
  /** The messages that it consists of, by id. */
  parts: string[];
  /** What it says in the end. */
  says?: StoredEvent;
}

type TurnData = { kind?: string; said?: string; answer?: string; parts?: string[]; outcome?: string; text?: string };
const of = ({ data }: StoredEvent) => data as TurnData;

const closes = ({ type, data }: StoredEvent) => type === 'context.compacted' && (data as TurnData).said !== undefined;

/** Each turn ends once, or waits for an answer; each of its replies is delivered once, and shows exactly what it says. */
export function checkTurns(world: World, place: string, events: readonly StoredEvent[]): void {
  const { watch } = world;
  const turns = new Set(events.flatMap((event) => (event.type === 'turn.started' ? (claimOf(event).turn ?? '') : [])));
  for (const turn of turns) {
    const own = events.filter((event) => claimOf(event).turn === turn);
    checkEnd(watch, place, turn, own);
    checkStopped(watch, own, turn);
    checkKept(watch, own, turn);
    checkDelivered(watch, place, turn, own);
    const undeliverable = own.some(({ data }) => (data as { undeliverable?: string }).undeliverable !== undefined);
    if (!undeliverable) checkReplies(world, turn, own);
    else if (world.chat.blocked.size === 0) watch.bad(`turn ${turn} given up as undeliverable`);
    else watch.count('undeliverable to a chat that blocks us');
  }
  checkQuestion(world, events);
}

/** Whether this event says something that is delivered by itself. */
function isDelivered(event: StoredEvent, isCompaction: boolean): boolean {
  return (
    event.type === 'turn.ended' ||
    event.type === 'question.asked' ||
    (event.type === 'context.compacted' && isCompaction)
  );
}

const isCompactionOf = (own: readonly StoredEvent[]) => own.some((event) => of(event).kind === 'compact');
const goesOn = (event: StoredEvent) => event.type === 'question.answered' && of(event).answer !== 'keep';

function checkEnd(watch: World['watch'], place: string, turn: string, own: readonly StoredEvent[]): void {
  const asked = own.filter(({ type }) => type === 'question.asked').length;
  const ends = own.filter(
    (event) => event.type === 'turn.ended' || (event.type === 'context.compacted' && isCompactionOf(own)),
  ).length;
  const suspended = asked > own.filter(goesOn).length;
  if (ends !== (suspended ? 0 : 1)) watch.bad(`${place}: turn ${turn} ended ${ends} times`);
  const answered = own.filter(({ type }) => type === 'question.answered').length;
  if (answered > asked) watch.bad(`${place}: turn ${turn} was answered ${answered} times and asked ${asked}`);
}

/** Once; a question that was answered while it was shown may have its delivery cut short. */
function checkDelivered(watch: World['watch'], place: string, turn: string, own: readonly StoredEvent[]): void {
  const isCompaction = isCompactionOf(own);
  const says = own.filter((event) => isDelivered(event, isCompaction));
  for (const [n, event] of says.entries()) {
    const behind = own.filter(({ seq }) => seq > event.seq && seq < (says[n + 1]?.seq ?? Number.POSITIVE_INFINITY));
    const times = behind.filter(({ type }) => type === 'reply.delivered').length;
    const isAnswered = behind.some(({ type }) => type === 'question.answered');
    if (times === 1 || (times === 0 && isAnswered)) continue;
    watch.bad(`${place}: ${event.type}#${event.seq} of turn ${turn} was delivered ${times} times`);
  }
}

function checkStopped(watch: World['watch'], own: readonly StoredEvent[], turn: string): void {
  const stop = own.find(({ type }) => type === 'stop.asked');
  const end = own.find(({ type }) => type === 'turn.ended');
  if (!stop || !end) return;
  const { outcome } = of(end);
  if (stop.seq < end.seq && outcome !== 'stopped') watch.bad(`turn ${turn} was stopped and ended as ${outcome}`);
}

/** Whoever closes a turn, what its steps said since its reply began stays on the screen (SPEC 4.10). */
function checkKept(watch: World['watch'], own: readonly StoredEvent[], turn: string): void {
  const end = own.find(({ type }) => type === 'turn.ended');
  const began = own.findLast((event) => goesOn(event) || closes(event))?.seq ?? 0;
  const said = own.flatMap((event) => (event.type === 'step' && event.seq > began ? (of(event).text ?? '') : []));
  const lost = end && said.filter((words) => !of(end).text?.includes(words));
  if (lost?.length) watch.bad(`turn ${turn} ended without what its steps had said: ${lost.join('; ')}`);
}

/** Exactly one visible text for each reply; besides at most orphaned placeholders (DESIGN 3a). */
function checkReplies({ watch, chat }: World, turn: string, own: readonly StoredEvent[]): void {
  const replies = repliesOf(own);
  const messages = [...chat.messages.values()].filter((message) => message.turn === turn);
  if (chat.kind === 'text') {
    const texts = replies.flatMap(({ says }) => (says && !closes(says) ? textsOf(says) : []));
    compare(watch, turn, messages, texts);
    return;
  }
  const recorded = new Set(replies.flatMap(({ parts }) => parts));
  for (const message of messages.filter(({ id }) => !recorded.has(id))) {
    if (message.text === '…') watch.count('an orphaned placeholder');
    else watch.bad(`turn ${turn} shows "${message.text.slice(0, 30)}" in a message that is not recorded`);
  }
  for (const { parts, says } of replies) {
    const shown = messages.filter(({ id }) => parts.includes(id));
    if (says) compare(watch, turn, shown, textsOf(says));
    else if (shown.length > 0) watch.bad(`turn ${turn} has a reply that says nothing in the end`);
  }
}

function repliesOf(own: readonly StoredEvent[]): Reply[] {
  const isCompaction = isCompactionOf(own);
  const replies: Reply[] = [{ parts: [] }];
  for (const event of own) {
    const last = replies.at(-1);
    if (!last) break;
    if (event.type === 'reply.opened') last.parts = of(event).parts ?? [];
    if (isDelivered(event, isCompaction)) last.says = event;
    if (closes(event)) last.says = event;
    if (goesOn(event) || closes(event)) replies.push({ parts: [] });
  }
  return replies;
}

function textsOf(event: StoredEvent): string[] {
  const markdown = closes(event) ? (of(event).said ?? '') : finalText(event);
  return piecesOf({ markdown }).map(({ body }) => String(body.text));
}

function compare(watch: World['watch'], turn: string, parts: readonly ShownMessage[], texts: readonly string[]): void {
  const shown = parts.map(({ text }) => text);
  const surplus = shown.slice(texts.length).filter((text) => text !== SURPLUS);
  if (!isDeepStrictEqual(shown.slice(0, texts.length), texts)) {
    watch.bad(`turn ${turn} shows ${JSON.stringify(shown)} instead of ${JSON.stringify(texts)}`);
  }
  if (surplus.length > 0) watch.bad(`turn ${turn} still shows ${JSON.stringify(surplus)} behind its answer`);
}

/** An open question is shown, and can be answered (SPEC 7.2). */
function checkQuestion({ watch, chat }: World, events: readonly StoredEvent[]): void {
  const { question } = events.at(-1)?.state ?? {};
  if (!question || chat.blocked.size > 0) return;
  if (question.shown === undefined) watch.bad(`the question ${question.id} is open and was never shown`);
  const choices = [...chat.messages.values()].filter((message) =>
    message.choices.some(({ value }) => value.startsWith(`a:${question.id}:`)),
  );
  // Where there are no buttons, they are shown again under what came after them, and the newest count.
  const isRight = chat.kind === 'text' ? choices.length > 0 : choices.length === 1;
  if (!isRight) watch.bad(`the question ${question.id} is open with choices in ${choices.length} messages`);
}
