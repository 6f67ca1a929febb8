import { createOpenAI } from '@ai-sdk/openai';
import type { Engine, EngineSettings } from '../ports/engine.ts';
import { aiSdkEngine } from './aiSdk.ts';
import { providerFetch } from './http.ts';
import { addressOf, requiredKey } from './settings.ts';

/**
 * OpenAI's models by the Responses API. With `store: false` OpenAI keeps nothing of a conversation, and the SDK asks
 * reasoning models for their thoughts encrypted. A provider whose setting `keep` is `on` has OpenAI keep the responses,
 * for as long as OpenAI does: each request goes on with the newest one of its memory, and none from before it (SPEC 5.2).
 */
export function openaiEngine(settings: EngineSettings): Engine {
  const keeps = settings.settings.keep === 'on';
  return aiSdkEngine({
    name: 'openai',
    keeps,
    model: (id) =>
      createOpenAI({
        apiKey: requiredKey(settings),
        baseURL: addressOf(settings, 'https://api.openai.com/v1'),
        fetch: providerFetch,
      }).responses(id),
    options: ({ fast, cacheKey }, session) => ({
      openai: {
        store: keeps,
        ...(session === undefined ? {} : { previousResponseId: session }),
        ...(fast ? { serviceTier: 'priority' } : {}),
        // Requests with one key go where the beginning that they share is cached.
        ...(cacheKey === undefined ? {} : { promptCacheKey: cacheKey }),
      },
    }),
  });
}
