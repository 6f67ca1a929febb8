import { expect, test } from 'vitest';
import { KilledConch } from './killed.ts';
import { IS_LONG } from './walk.ts';

/**
 * Real processes, killed. A dead worker's turn is taken over when its lease is over, after a minute, so this runs only
 * with `CONCH_PROCESSES=1` or `CONCH_LONG=1`; `CONCH_KILLS` and `CONCH_PEOPLE` make it harder.
 */
const KILLS = Number(process.env.CONCH_KILLS ?? 6);
const PEOPLE = Number(process.env.CONCH_PEOPLE ?? 5);
const IS_ON = IS_LONG || process.env.CONCH_PROCESSES === '1';

test.runIf(IS_ON)('killed again and again, it answers each message once', { timeout: 3_600_000 }, async () => {
  const load = { people: PEOPLE, messagesEach: 8, kills: KILLS, killEveryMs: 9_000 };
  const counts = await new KilledConch({ ...load, seed: Number(process.env.CONCH_SEED ?? 1) }).run();
  console.info(JSON.stringify(counts));
  expect(counts).toMatchObject({ events: counts.messages, unanswered: [], answeredTwice: [], unfinished: 0 });
});
