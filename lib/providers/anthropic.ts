import { createAnthropic } from '@ai-sdk/anthropic';
import type { Engine, EngineSettings } from '../ports/engine.ts';
import { aiSdkEngine } from './aiSdk.ts';
import { providerFetch } from './http.ts';
import { addressOf, requiredKey } from './settings.ts';

/** Claude by Anthropic's own API. */
export function anthropicEngine(settings: EngineSettings): Engine {
  return aiSdkEngine({
    name: 'anthropic',
    model: (id) =>
      createAnthropic({
        apiKey: requiredKey(settings),
        baseURL: addressOf(settings, 'https://api.anthropic.com/v1'),
        fetch: providerFetch,
      })(id),
    // A mark on less than the API caches does nothing and costs nothing.
    cacheMark: () => ({ anthropic: { cacheControl: { type: 'ephemeral' } } }),
  });
}
