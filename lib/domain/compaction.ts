/** What a provider says of its own compaction (SPEC 8.2). */
export interface Boundary {
  /** Who began it, in the provider's word. */
  trigger?: string;
  /** What the context held before, tokens. */
  preTokens?: number;
}

/**
 * Reads a provider's own boundary, in either spelling (`compact_metadata.pre_tokens`, `compactMetadata.preTokens`). What
 * cannot be read is left out; nothing here is ever an error. SPEC 8.2 asks for it; no engine here is given a boundary by
 * itself, so only tests call it yet.
 */
export function boundaryOf(metadata: unknown): Boundary {
  const facts = [fieldOf(metadata, 'compact_metadata'), fieldOf(metadata, 'compactMetadata')];
  const trigger = facts.map((one) => fieldOf(one, 'trigger')).find(isWord);
  const preTokens = facts.flatMap((one) => [fieldOf(one, 'pre_tokens'), fieldOf(one, 'preTokens')]).find(isCount);
  return { ...(trigger === undefined ? {} : { trigger }), ...(preTokens === undefined ? {} : { preTokens }) };
}

function fieldOf(value: unknown, name: string): unknown {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined;
  return (value as Record<string, unknown>)[name];
}

function isWord(value: unknown): value is string {
  return typeof value === 'string' && /^[\w-]{1,40}$/.test(value);
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}
