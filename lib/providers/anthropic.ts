import { createAnthropic } from '@ai-sdk/anthropic';
import type { Engine, EngineSettings } from '../ports/engine.ts';
import { aiSdkEngine } from './aiSdk.ts';
import { providerFetch } from './http.ts';
import { addressOf, requiredKey } from './settings.ts';

/** Models that sum up a conversation when they are asked to. */
const COMPACTS = /claude-(opus|sonnet)-4-[6-9]|claude-[a-z]+-[5-9]/;

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
    compaction: (model, instructions) =>
      COMPACTS.test(model) ? { anthropic: { compaction: { type: 'summarize', instructions } } } : undefined,
    // A mark on less than the API caches does nothing and costs nothing.
    cacheMark: () => ({ anthropic: { cacheControl: { type: 'ephemeral' } } }),
  });
}
