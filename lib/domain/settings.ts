import { type ChatOptions, EFFORTS, type Effort, MODES, type Mode } from './events.ts';
import type { State } from './state.ts';

/** The mode of a chat: its own, else the default for new chats, else `ask`. */
export function modeInForce(options: ChatOptions, defaults: ChatOptions): Mode {
  return options.mode ?? defaults.mode ?? 'ask';
}

/** The mode to which a chat goes back from plan mode (SPEC 7.3). */
export function modeBeforePlan(state: State, defaults: ChatOptions): Mode {
  const byDefault = defaults.mode === 'plan' ? undefined : defaults.mode;
  return state.modeBeforePlan ?? byDefault ?? 'ask';
}

const CONFIRMED: ReadonlySet<Mode> = new Set(['edit', 'auto', 'trust']);

/** Whether the change from one mode to the other has to be confirmed: up to one that asks less (SPEC 7.5). */
export function isFreer(from: Mode, to: Mode): boolean {
  return CONFIRMED.has(to) && MODES.indexOf(to) > MODES.indexOf(from);
}

/** The level that is nearest to the one asked for; of two equally near, the lower (SPEC 4.7). */
export function nearestEffort(effort: Effort, levels: readonly Effort[]): Effort {
  const distance = (level: Effort) => Math.abs(EFFORTS.indexOf(level) - EFFORTS.indexOf(effort));
  return (
    EFFORTS.filter((level) => levels.includes(level)).reduce<Effort | undefined>(
      (best, level) => (best === undefined || distance(level) < distance(best) ? level : best),
      undefined,
    ) ?? effort
  );
}
