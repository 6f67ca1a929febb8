import { createAmazonBedrock } from '@ai-sdk/amazon-bedrock';
import type { Engine, EngineSettings } from '../ports/engine.ts';
import { aiSdkEngine } from './aiSdk.ts';
import { providerFetch } from './http.ts';
import { addressOf, requiredKey } from './settings.ts';

/** Claude models that know cache points; Bedrock refuses a request that marks one for another model. */
const CACHES = /claude-(3-7-|3-5-haiku|[a-z]+-\d)/;

const DEFAULT_REGION = 'us-east-1';

/** Models on Amazon Bedrock, with a Bedrock API key; `settings.region` says where. */
export function bedrockEngine(settings: EngineSettings): Engine {
  const region = settings.settings.region || DEFAULT_REGION;
  return aiSdkEngine({
    name: 'bedrock',
    model: (id) =>
      createAmazonBedrock({
        apiKey: requiredKey(settings),
        region,
        baseURL: addressOf(settings, `https://bedrock-runtime.${region}.amazonaws.com`),
        fetch: providerFetch,
      })(id),
    cacheMark: (model) => (CACHES.test(model) ? { bedrock: { cachePoint: { type: 'default' } } } : undefined),
  });
}
