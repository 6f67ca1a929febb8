/**
 * Reads what a button carries: `a:`, the action's id, `:` and the number of the choice. Undefined for anything else, since
 * a changed client can send any text.
 */
export function readPress(value: string): { action: string; choice: number } | undefined {
  const match = /^a:([A-Za-z0-9_-]{1,24}):(\d{1,2})$/.exec(value);
  return match?.[1] === undefined ? undefined : { action: match[1], choice: Number(match[2]) };
}
