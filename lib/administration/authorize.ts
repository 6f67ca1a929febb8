import { createHash, timingSafeEqual } from 'node:crypto';
import type { MiddlewareHandler } from 'hono';
import { SettingsError } from '../domain/errors.ts';
import { Problem, problemResponse } from './problem.ts';

/**
 * Lets a request through that brings the admin token. What is compared are hashes, in constant time.
 * @param tokenHash SHA-256 of the token, in hex.
 * @throws {SettingsError} if that is no such hash, so that no administration runs without a token.
 */
export function authorize(tokenHash: string): MiddlewareHandler {
  if (!/^[0-9a-f]{64}$/.test(tokenHash)) throw new SettingsError('The hash of the admin token is no SHA-256 in hex');
  const expected = Buffer.from(tokenHash, 'hex');
  return async (c, next) => {
    const token = /^Bearer +(\S+) *$/i.exec(c.req.header('authorization') ?? '')?.[1] ?? '';
    const given = createHash('sha256').update(token).digest();
    if (token !== '' && timingSafeEqual(given, expected)) return next();
    const problem = new Problem('unauthorized', 'Send the header “Authorization: Bearer”, then the admin token.');
    return problemResponse(problem, { 'www-authenticate': 'Bearer' });
  };
}
