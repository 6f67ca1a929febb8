/** The field of a body that is at fault, and how: for an administrator (SPEC 13.5). The first is enough to go on. */
export function faultOf(
  issues: readonly { path: readonly PropertyKey[] }[],
  fault = 'is missing or has the wrong type',
): string {
  const path = issues[0]?.path.join('.') || 'the body';
  return `${path.slice(0, 200)} ${fault}`;
}
