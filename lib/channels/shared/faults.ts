/**
 * The field of a body that is at fault, and how: for an administrator (SPEC 13.5). The first is enough to go on.
 * @param paths as `shaped` gives them.
 */
export function faultOf(paths: readonly string[], fault = 'is missing or has the wrong type'): string {
  return `${(paths[0] || 'the body').slice(0, 200)} ${fault}`;
}
