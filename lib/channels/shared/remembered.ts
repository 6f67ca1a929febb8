/**
 * `make`, whose newest results are kept. @param limit how many; nobody may change them.
 */
export function remembered<T>(limit: number, make: (key: string) => T): (key: string) => T {
  const kept = new Map<string, T>();
  return (key) => {
    if (kept.has(key)) return kept.get(key) as T;
    const made = make(key);
    kept.set(key, made);
    if (kept.size > limit) kept.delete(kept.keys().next().value ?? '');
    return made;
  };
}
