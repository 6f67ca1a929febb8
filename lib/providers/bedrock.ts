import { createAmazonBedrock } from '@ai-sdk/amazon-bedrock';
import type { Engine, EngineSettings } from '../ports/engine.ts';
import { aiSdkEngine } from './aiSdk.ts';
import { providerFetch } from './http.ts';
import { addressOf, requiredKey } from './settings.ts';

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
  });
}
