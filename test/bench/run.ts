import { Floors } from './floors.ts';
import { overMark, type Row, tableOf } from './marks.ts';
import { measureWebhooks } from './webhooks.ts';
import { World } from './world.ts';

const wanted = new Set(process.argv.slice(2));

async function measure(): Promise<Row[]> {
  const world = await World.start();
  const floors = new Floors(world);
  try {
    return await measureWebhooks(world, floors);
  } finally {
    floors.close();
    await world.close();
  }
}

const rows = await measure();
console.log(wanted.has('--json') ? JSON.stringify(rows) : tableOf(rows));
const over = overMark(rows);
for (const line of over) console.error(line);
process.exit(wanted.has('--check') && over.length > 0 ? 1 : 0);
