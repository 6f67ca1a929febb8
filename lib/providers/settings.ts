import type { EngineSettings } from '../ports/engine.ts';
import { ProviderError } from './faults.ts';

/**
 * The provider's key. It is always the tenant's own: an SDK that finds no key would take one from the environment,
 * which is the operator's.
 * @throws {ProviderError} `unauthorized` if there is none.
 */
export function requiredKey({ apiKey }: EngineSettings): string {
  const key = apiKey?.trim();
  if (!key) throw new ProviderError('unauthorized', 'The provider has no API key');
  return key;
}

/**
 * The provider's address, explicit for the same reason as the key.
 * @param fallback the public API's address; without one the provider's record has to give it.
 * @throws {ProviderError} `bad-request` if there is none.
 */
export function addressOf({ baseURL }: EngineSettings, fallback?: string): string {
  const address = baseURL?.trim() || fallback;
  if (!address) throw new ProviderError('bad-request', 'The provider has no baseURL');
  return address;
}
