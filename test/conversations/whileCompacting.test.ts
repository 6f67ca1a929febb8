import { afterAll, beforeAll, expect, test } from 'vitest';
import { World } from '../support/world.ts';

let world: World;
beforeAll(async () => {
  world = await World.open();
});
afterAll(() => world.close());

/** A summary is being written; what each command is answered then. */
async function saidMeanwhile(...commands: string[]): Promise<string[]> {
  const [bot, ana] = [await world.bot(), world.somebody()];
  await bot.ask(ana, 'one');
  await bot.say(ana, '/new');
  await bot.ask(ana, 'two');
  await bot.say(ana, '/compact');
  const held = bot.engine.hold();
  const work = bot.workOnce();
  await held.begun;
  const said: string[] = [];
  for (const command of commands) {
    await bot.say(ana, command);
    said.push(bot.newest(ana).text);
  }
  held.finish('A summary.');
  await work;
  await bot.settle();
  return said;
}

test('SPEC 4.8, 4.10: while a summary is written nothing speaks of an answer', async () => {
  const commands = ['/effort high', '/plan on', '/plan off', '/retry', '/resume one', '/compact', '/stop'];
  expect(await saidMeanwhile(...commands)).toEqual([
    'Effort: high.',
    'Plan mode is on: I plan, and change nothing. /plan off ends it.',
    'Plan mode is off. Mode: Ask. I ask before I change anything.',
    'I am summing this conversation up. Wait until I am done; then try again.',
    'I am summing this conversation up. Wait until I am done; then resume.',
    'I am summing this conversation up already.',
    'I stop summing up, and nothing has changed.',
  ]);
});

test('SPEC 4.8: while an answer is written, the second /compact says that it is asked for', async () => {
  const [bot, ana] = [await world.bot(), world.somebody()];
  await bot.ask(ana, 'one');
  await bot.say(ana, 'two');
  await bot.say(ana, '/compact');
  await bot.say(ana, '/compact');
  expect(bot.newest(ana).text).toBe(
    'You have asked for that already. When I am done with this answer, I sum up what was said so far.',
  );
});
