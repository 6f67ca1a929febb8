import { createOpenAI } from '@ai-sdk/openai';
import type { Engine, EngineSettings } from '../ports/engine.ts';
import { aiSdkEngine } from './aiSdk.ts';
import { providerFetch } from './http.ts';
import { addressOf, requiredKey } from './settings.ts';

/**
 * OpenAI's models by the Responses API. `store: false`: OpenAI keeps nothing of a conversation, so that nothing from
 * before a clear stays with it (SPEC 5.2); the SDK then asks reasoning models for their thoughts encrypted.
 */
export function openaiEngine(settings: EngineSettings): Engine {
  return aiSdkEngine({
    name: 'openai',
    model: (id) =>
      createOpenAI({
        apiKey: requiredKey(settings),
        baseURL: addressOf(settings, 'https://api.openai.com/v1'),
        fetch: providerFetch,
      }).responses(id),
    options: ({ fast, cacheKey }) => ({
      openai: {
        store: false,
        ...(fast ? { serviceTier: 'priority' } : {}),
        // Requests with one key go where the beginning that they share is cached.
        ...(cacheKey === undefined ? {} : { promptCacheKey: cacheKey }),
      },
    }),
  });
}
