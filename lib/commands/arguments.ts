/** What `/goal` was asked for (SPEC 4.7). */
export type GoalArgument = { kind: 'show' } | { kind: 'clear' } | { kind: 'set'; goal: string };

const CLEAR_WORDS: ReadonlySet<string> = new Set(['clear', 'off', 'none', 'stop', 'remove']);

/** Reads `/goal`'s argument: empty shows, a word such as `clear` clears, anything else is the goal, byte for byte. */
export function parseGoalArg(args: string): GoalArgument {
  const goal = args.trim();
  if (!goal) return { kind: 'show' };
  return CLEAR_WORDS.has(goal.toLowerCase()) ? { kind: 'clear' } : { kind: 'set', goal };
}
