import { createGoogle } from '@ai-sdk/google';
import type { Engine, EngineSettings } from '../ports/engine.ts';
import { aiSdkEngine } from './aiSdk.ts';
import { providerFetch } from './http.ts';
import { addressOf, requiredKey } from './settings.ts';

/** Gemini by the Gemini API. */
export function googleEngine(settings: EngineSettings): Engine {
  return aiSdkEngine({
    name: 'google',
    model: (id) =>
      createGoogle({
        apiKey: requiredKey(settings),
        baseURL: addressOf(settings, 'https://generativelanguage.googleapis.com/v1beta'),
        fetch: providerFetch,
      })(id),
  });
}
