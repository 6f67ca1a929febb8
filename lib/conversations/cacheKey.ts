import { createHash } from 'node:crypto';
import type { PlaceRef } from '../domain/place.ts';

/** The `cacheKey` of every request of this memory: nobody can tell from it whose it is. */
export function cacheKeyOf({ tenant, place }: PlaceRef, memory: number): string {
  return createHash('sha256')
    .update(JSON.stringify([tenant, place, memory]))
    .digest('base64url');
}
