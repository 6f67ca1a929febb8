import { createOpenAI } from '@ai-sdk/openai';
import type { Engine, EngineSettings } from '../ports/engine.ts';
import { aiSdkEngine } from './aiSdk.ts';
import { providerFetch } from './http.ts';
import { addressOf, requiredKey } from './settings.ts';

/** `store: false`: OpenAI keeps nothing of a conversation, so that nothing from before a clear stays with it (SPEC 5.2). */
const KEEP_NOTHING = { store: false };

/** OpenAI's models by the Responses API. */
export function openaiEngine(settings: EngineSettings): Engine {
  return aiSdkEngine({
    model: (id) =>
      createOpenAI({
        apiKey: requiredKey(settings),
        baseURL: addressOf(settings, 'https://api.openai.com/v1'),
        fetch: providerFetch,
      }).responses(id),
    options: { openai: KEEP_NOTHING },
    fastOptions: { openai: { ...KEEP_NOTHING, serviceTier: 'priority' } },
  });
}
