import { APP_NAMES } from '../../lib/ports/tenants.ts';
import type { Figure } from './measure.ts';

/** A line of the table. */
export interface Row extends Figure {
  name: string;
  unit: 'ms' | 'µs' | 'bytes' | '$/million';
}

/**
 * The marks: the largest ratio to the floor that a figure may have. What is not named here is shown without one.
 * Webhooks answer a person who waits and are started cold, so their size and start count; the worker's wait is the model's.
 */
export const MARKS: Readonly<Record<string, number>> = {
  'command.wall': 1.25,
  'message.wall': 1.25,
  'command.growth': 1.1,
  'message.growth': 1.1,
  'ack.telegram.cpu': 4,
  'ack.slack.cpu': 2.5,
  'ack.discord.cpu': 1.3,
  'turn.start': 1.5,
  'turn.large': 0.05,
  ...Object.fromEntries(
    APP_NAMES.flatMap((app) => [
      [`bundle.${app}.bytes`, 1.5],
      [`bundle.${app}.import`, 1.5],
    ]),
  ),
  'cost.command': 2,
  'cost.message': 2,
};

/** What is over its mark, in a line each. */
export function overMark(rows: readonly Row[]): string[] {
  return rows.flatMap(({ name, ratio }) => {
    const mark = MARKS[name];
    if (mark === undefined || ratio <= mark) return [];
    return [`${name}: ${ratio.toFixed(2)} times the floor, over its mark of ${mark}`];
  });
}

/** The table for people. */
export function tableOf(rows: readonly Row[]): string {
  const header = ['name', 'unit', 'ours', 'floor', 'ratio', 'mark'];
  const lines = rows.map(({ name, unit, ours, floor, ratio }) => [
    ...[name, unit, show(ours), show(floor), ratio.toFixed(2)],
    String(MARKS[name] ?? ''),
  ]);
  const widths = header.map((_, column) => Math.max(...[header, ...lines].map((line) => line[column]?.length ?? 0)));
  const pad = (line: string[]) =>
    line.map((cell, n) => (n < 2 ? cell.padEnd(widths[n] ?? 0) : cell.padStart(widths[n] ?? 0))).join('  ');
  return [header, ...lines].map(pad).join('\n');
}

function show(value: number): string {
  return value >= 1_000 ? Math.round(value).toLocaleString('en-US') : value.toPrecision(3);
}
