import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import type { Engine, EngineSettings } from '../ports/engine.ts';
import { aiSdkEngine } from './aiSdk.ts';
import { providerFetch } from './http.ts';
import { addressOf } from './settings.ts';

/** Any server with OpenAI's chat completions. A key is optional: a server of one's own often has none. */
export function openaiCompatibleEngine(settings: EngineSettings): Engine {
  const apiKey = settings.apiKey?.trim();
  return aiSdkEngine({
    name: 'openai-compatible',
    model: (id) =>
      createOpenAICompatible({
        name: 'compatible',
        ...(apiKey ? { apiKey } : {}),
        baseURL: addressOf(settings),
        fetch: providerFetch,
        includeUsage: true,
      })(id),
  });
}
