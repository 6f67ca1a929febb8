import { measureBundles } from './bundles.ts';
import { measureCost } from './cost.ts';
import { measureCpu } from './cpu.ts';
import { Floors } from './floors.ts';
import { measureLarge } from './large.ts';
import { overMark, type Row, tableOf } from './marks.ts';
import { measureTurn } from './turn.ts';
import { measureWebhooks } from './webhooks.ts';
import { World } from './world.ts';

/**
 * Measures everything against its floor. `--json` prints the rows as one array; `--check` ends with 1 if a figure is over
 * its mark; other words choose the rows that begin with them.
 */
const words = process.argv.slice(2);
const chosen = words.filter((word) => !word.startsWith('--'));
const isWanted = (...names: string[]) =>
  chosen.length === 0 || chosen.some((word) => names.some((name) => name.startsWith(word) || word.startsWith(name)));

async function onServices(): Promise<Row[]> {
  const world = await World.start();
  const floors = new Floors(world);
  const rows: Row[] = [];
  try {
    if (isWanted('command', 'message')) rows.push(...(await measureWebhooks(world, floors)));
    if (isWanted('turn')) rows.push(...(await measureTurn(world, floors)));
    if (isWanted('cost')) {
      for (const { row, note } of await measureCost(world)) {
        rows.push(row);
        console.error(note);
      }
    }
    return rows;
  } finally {
    floors.close();
    await world.close();
  }
}

const rows: Row[] = [];
if (isWanted('bundle')) rows.push(...(await measureBundles()));
if (isWanted('turn.large')) rows.push(...(await measureLarge()));
if (isWanted('ack')) rows.push(...(await measureCpu(isWanted)));
if (isWanted('command', 'message', 'turn', 'cost')) rows.push(...(await onServices()));
console.log(words.includes('--json') ? JSON.stringify(rows) : tableOf(rows));
const over = overMark(rows);
for (const line of over) console.error(line);
process.exit(words.includes('--check') && over.length > 0 ? 1 : 0);
