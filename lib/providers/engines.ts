import type { Engine, EngineSettings } from '../ports/engine.ts';
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

/** The engine with this name, built from a provider's opened record. Asks nothing of the provider yet. */
export function openEngine(name: EngineName, settings: EngineSettings): Promise<Engine> {
  return ENGINES[name](settings);
}
