import type { Engine, EngineSettings, OpenEngine } from '../ports/engine.ts';
import { openAll, providerOwner, type SecretBox } from '../ports/secrets.ts';
import type { EngineName } from '../ports/tenants.ts';

/** Every engine by its name, imported when it is used: what one needs is never loaded for another. */
export const ENGINES: Record<EngineName, (settings: EngineSettings) => Promise<Engine>> = {
  demo: async (settings) => (await import('./demo.ts')).demoEngine(settings),
  anthropic: async (settings) => (await import('./anthropic.ts')).anthropicEngine(settings),
  openai: async (settings) => (await import('./openai.ts')).openaiEngine(settings),
  google: async (settings) => (await import('./google.ts')).googleEngine(settings),
  bedrock: async (settings) => (await import('./bedrock.ts')).bedrockEngine(settings),
  'openai-compatible': async (settings) => (await import('./openaiCompatible.ts')).openaiCompatibleEngine(settings),
};

/**
 * Builds engines from providers' records. Nothing is asked of the provider yet.
 * @param secrets opens the sealed `apiKey`, which is bound to the tenant and the provider.
 */
export function engineOpener(secrets: SecretBox): OpenEngine {
  return async (tenant, { name, engine, baseURL, settings, secrets: sealed }) => {
    const { apiKey } = await openAll(secrets, sealed, { tenant, owner: providerOwner(name) });
    return ENGINES[engine]({ settings, ...(apiKey ? { apiKey } : {}), ...(baseURL ? { baseURL } : {}) });
  };
}
