import { isDeepStrictEqual } from 'node:util';
import { handlerNamed } from '../../lib/commands/notices.ts';
import { contentOf } from '../../lib/domain/events.ts';
import { HOUR_MS, MINUTE_MS, WRONG_CLAIMS } from '../../lib/domain/limits.ts';
import { pending } from '../../lib/domain/pending.ts';
import { initialState, type State } from '../../lib/domain/state.ts';
import type { StoredEvent } from '../../lib/ports/log.ts';
import { checkTurns } from './checkTurns.ts';
import type { Update } from './delivery.ts';
import { claimOf } from './watch.ts';
import type { World } from './world.ts';

/** Checks every promise at the end of a world, and counts what is allowed but to be kept rare. @returns what is broken. */
export async function check(world: World): Promise<string[]> {
  if (!world.quiet) checkStuck(world);
  for (const update of world.deliverer.updates) checkUpdate(world, update);
  for (const [place, events] of world.watch.logs) {
    checkMessages(world, place, events);
    checkTurns(world, place, events);
    checkUndo(world, place, events);
    checkCommands(world, place, events);
    checkStrangers(world, events);
    await checkStored(world, place, events);
  }
  checkToldOnce(world);
  await checkUsage(world);
  return world.watch.violations;
}

function checkStuck(world: World): void {
  const owed = [...world.watch.logs].map(([place, events]) => {
    const state = events.at(-1)?.state ?? initialState;
    return `${place}: ${pending(state, world.clock.now()).kind}, waiting ${state.waiting}`;
  });
  const { queue, deliverer, functions } = world;
  world.watch.bad(
    `never quiet: ${owed.join('; ')}; hints ${queue.size}, deliveries ${deliverer.pending}, running ${functions.active}`,
  );
}

/** One event for each thing that a person did; none is lost once the app was told that it was taken. */
function checkUpdate(world: World, { id, chat, incoming, state }: Update): void {
  const { watch } = world;
  const events = [...watch.logs.values()].flat().filter((event) => isOf(incoming.update, event));
  if (events.length > 1) watch.bad(`${id} has ${events.length} events`);
  const [event] = events;
  // Of two presses one wins, and the other one hears so (SPEC 11.1).
  const isAnswered = watch.timeline.some(({ press, text }) => press?.update === incoming.update && text !== '');
  if (state === 'given-up') watch.count(event ? 'taken, but the app was not told' : 'given up by the app');
  else if (event) checkAnswered(world, chat, event, incoming.update);
  else if (isOfStranger(world, chat, incoming.sentAt)) watch.count('a stranger who was told already');
  else if (incoming.kind === 'message' && isOverLimit(world, chat)) watch.count('a limit that was told just now');
  else if (incoming.kind === 'message') watch.bad(`${id} was acknowledged without an event`);
  else if (!isAnswered && !wasHidden(world)) watch.bad(`the press ${id} was neither taken nor answered`);
}

/** What the owner is asked about a stranger carries the delivery of the stranger's message, and is no answer to it. */
function isOf(update: string, event: StoredEvent): boolean {
  return deliveryOf(event)?.update === update && event.type !== 'access.asked';
}

/**
 * Whether this was written by somebody who had heard before, wherever they wrote, that the owner has to let them in, and was
 * not yet (SPEC 9.3). One whom the app gave up on may have been about to hear it.
 */
function isOfStranger(world: World, person: string, sentAt: number): boolean {
  if (world.scenario.access !== 'list') return false;
  const isTold = told(world, 'stranger.refused', person).length > 0 || wasGivenUp(world, person);
  return isTold && !allEvents(world).some((event) => letsIn(event, person) && event.at < sentAt);
}

/** Whether they were told of a limit, or about to be (SPEC 9.4). */
function isOverLimit(world: World, person: string): boolean {
  return told(world, 'limit.reached', person).length > 0 || wasGivenUp(world, person);
}

const allEvents = ({ watch }: World) => [...watch.logs.values()].flat();

/** The events of this type that this person was told, oldest first, in whatever places. */
function told(world: World, type: string, person: string): StoredEvent[] {
  const by = (event: StoredEvent) => (event.data as { person?: { id: string } }).person?.id === person;
  return allEvents(world)
    .filter((event) => event.type === type && by(event))
    .sort((a, b) => a.at - b.at);
}

function wasGivenUp({ deliverer }: World, person: string): boolean {
  return deliverer.updates.some(({ chat, state }) => chat === person && state === 'given-up');
}

/** Clocks of processes differ by this much at most, each way. */
const SKEW_MS = 6_000;

/**
 * What a person is told once, they are told once wherever they write (SPEC 9.2 to 9.4); twice only where a process died or
 * stood still between noting it and telling it.
 */
function checkToldOnce(world: World): void {
  const { watch, faults } = world;
  const twice = (what: string) => (faults.happened.length > 0 ? watch.count(what) : watch.bad(what));
  for (const person of new Set(world.deliverer.updates.map(({ chat }) => chat))) {
    const refusals = told(world, 'stranger.refused', person);
    if (refusals.length > 1) twice(`${person} told twice that they are not let in`);
    const limits = told(world, 'limit.reached', person).map(({ at }) => at);
    if (limits.some((at, n) => at - (limits[n - 1] ?? 0) < MINUTE_MS - SKEW_MS))
      twice(`${person} told of a limit twice`);
    const wrong = told(world, 'claim.refused', person).filter(
      ({ data }) => (data as { outcome: string }).outcome === 'wrong',
    );
    if (wrong.some(({ at }, n) => at - (wrong[n - WRONG_CLAIMS]?.at ?? 0) < HOUR_MS - SKEW_MS)) {
      watch.bad(`${person} tried more than ${WRONG_CLAIMS} wrong codes`);
    }
  }
}

function letsIn({ type, data }: StoredEvent, person: string): boolean {
  const { who, status } = data as { who?: { id: string }; status?: string };
  return type === 'person.changed' && who?.id === person && status === 'let-in';
}

/** The owner is asked once about each stranger, and hears it; who is let in hears that (SPEC 9.3). */
function checkStrangers(world: World, events: readonly StoredEvent[]): void {
  const { watch, chat } = world;
  const asked = events.filter(({ type }) => type === 'access.asked');
  const people = asked.map(({ data }) => (data as { who: { id: string } }).who.id);
  if (new Set(people).size < people.length) watch.bad(`the owner was asked twice about one of ${people}`);
  const shown = (key: string) => [...chat.messages.values()].filter((message) => message.key === key).length;
  for (const { id } of asked) {
    if (shown(`${id}:0`) > 1) watch.count('the owner shown a stranger twice');
    if (shown(`${id}:0`) === 0 && wasHidden(world)) watch.count('a stranger of whom the owner was not shown');
    else if (shown(`${id}:0`) === 0) watch.bad(`the owner was not shown ${id}`);
  }
  for (const { id } of events.filter((event) => people.some((person) => letsIn(event, person)))) {
    if (shown(`${id}:in:0`) === 0) watch.count('let in without a word');
  }
}

function deliveryOf({ data }: StoredEvent) {
  return (data as { delivery?: { key: string; update: string; sentAt: number } }).delivery;
}

/** A command or a press is answered, at least once; a word about what was dropped is in the answer. */
function checkAnswered(world: World, chat: string, event: StoredEvent, update: string): void {
  const { watch } = world;
  const { command, dropped = 0 } = event.data as { command?: string; dropped?: number };
  if (!handlerNamed(command) || event.type === 'message') return;
  const keys = [`${event.id}:0`, event.id]; // the second is that of a file
  const posts = watch.timeline.filter(({ kind, message }) => kind === 'post' && keys.includes(message?.key ?? ''));
  const pressed = watch.timeline.filter(
    ({ kind, press, message }) => press?.update === update || (kind === 'edit' && message?.id === update.split('@')[1]),
  );
  const answers = [...posts, ...pressed];
  if (posts.length > 1) watch.count('a command answered twice');
  if (answers.length === 0) {
    if (wasHidden(world) || world.chat.blocked.has(chat)) watch.count('an answer to a command that never arrived');
    else watch.bad(`${event.type}#${event.seq} (/${command}) was never answered`);
    return;
  }
  const isTold = dropped === 0 || answers.some(({ text }) => text.includes(`${dropped} message`));
  if (!isTold) watch.bad(`${event.type}#${event.seq} dropped ${dropped} without a word`);
}

/** A send that was lost on the way may not be sent again (SPEC 13.6), and pop-ups are shown once. */
function wasHidden({ faults }: World): boolean {
  return faults.happened.some((what) => /^(?:drop|refuse) at chat\./u.test(what));
}

/** Each message is in exactly one turn, or dropped by an event that says so, unless it was put back. */
function checkMessages({ watch }: World, place: string, events: readonly StoredEvent[]): void {
  const { turns, dropped } = fates(events);
  for (const { seq } of events.filter((event) => contentOf(event))) {
    const answering = turns.get(seq) ?? [];
    if (answering.length > 1) watch.bad(`${place}: message ${seq} is in turns ${answering.join(' and ')}`);
    if (answering.length === 0 && !dropped.has(seq))
      watch.bad(`${place}: message ${seq} is in no turn and not dropped`);
  }
}

/** What became of the messages: the turns that took each, and those that were dropped while they waited. */
function fates(events: readonly StoredEvent[]) {
  const turns = new Map<number, string[]>();
  const dropped = new Set<number>();
  let before: State = initialState;
  for (const { type, data, state } of events) {
    const { turn = '', messages = [] } = data as { turn?: string; messages?: number[] };
    const taken = type === 'turn.started' && before.turn?.id !== turn ? messages : [];
    for (const seq of taken) turns.set(seq, [...(turns.get(seq) ?? []), turn]);
    for (const seq of before.waiting) if (!taken.includes(seq) && !state.waiting.includes(seq)) dropped.add(seq);
    for (const seq of state.waiting) if (!before.waiting.includes(seq)) dropped.delete(seq);
    before = state;
  }
  return { turns, dropped };
}

/** Undo gives back exactly the memory from before the clear (SPEC 5.5). */
function checkUndo({ watch }: World, place: string, events: readonly StoredEvent[]): void {
  for (const event of events.filter(({ type }) => type === 'context.restored')) {
    const { clear } = event.data as { clear: number };
    const before = events[clear - 2]?.state ?? initialState;
    if (!isDeepStrictEqual(event.state.memory, before.memory)) watch.bad(`${place}: undo gave back another memory`);
    const lacking = before.waiting.filter((seq) => !event.state.waiting.includes(seq));
    if (lacking.length > 0) watch.bad(`${place}: undo did not put ${lacking} back`);
  }
}

/** What a command saw: none wipes what was said after it, and each button is settled once (DESIGN 3a). */
function checkCommands({ watch }: World, place: string, events: readonly StoredEvent[]): void {
  const actions = events.flatMap(({ data }) => (data as { action?: string }).action ?? []);
  if (new Set(actions).size < actions.length) watch.bad(`${place}: an action was settled twice`);
  let newest = 0;
  for (const event of events) {
    const sentAt = deliveryOf(event)?.sentAt ?? 0;
    const isEnd = event.type === 'context.cleared' || event.type === 'conversation.started';
    const isPressed = (event.data as { action?: string }).action !== undefined;
    if (isEnd && !isPressed && sentAt < newest)
      watch.bad(`${place}: ${event.type}#${event.seq} came after a newer message`);
    if (contentOf(event)) newest = Math.max(newest, sentAt);
  }
}

/** What is stored is what was seen to be written. */
async function checkStored(
  { watch, stores, tenant }: World,
  place: string,
  events: readonly StoredEvent[],
): Promise<void> {
  const stored = await Array.fromAsync(stores.log.range({ tenant, place }, { from: 1 }));
  if (!isDeepStrictEqual(stored, events)) watch.bad(`${place}: the log is not what was written`);
}

/** A counter may miss a turn, it never counts one twice. */
async function checkUsage({ watch, stores, tenant }: World): Promise<void> {
  const rows = await stores.usage.read(tenant, 5);
  const counted = rows.reduce((sum, { turns }) => sum + turns, 0);
  const turns = new Set([...watch.logs.values()].flat().flatMap((event) => claimOf(event).turn ?? [])).size;
  if (counted > turns) watch.bad(`${counted} turns counted, ${turns} begun`);
  if (counted < turns) watch.count('a turn not counted');
}
