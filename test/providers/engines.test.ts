import { execFileSync } from 'node:child_process';
import { expect, test } from 'vitest';
import type { SecretBox, SecretContext } from '../../lib/ports/secrets.ts';
import type { EngineName, ProviderRecord } from '../../lib/ports/tenants.ts';
import { ENGINES, engineOpener } from '../../lib/providers/engines.ts';
import { answerOf, failureOf, requestOf } from '../contracts/engine.ts';
import { ModelStandIn } from '../standins/model.ts';

const opened: SecretContext[] = [];
const box: SecretBox = {
  seal: async (plain) => `sealed:${plain}`,
  open: async (sealed, context) => {
    opened.push(context);
    return sealed.replace('sealed:', '');
  },
};
const record = (engine: EngineName, rest: Partial<ProviderRecord> = {}): ProviderRecord => ({
  name: 'mine',
  engine,
  models: [],
  settings: {},
  secrets: {},
  ...rest,
});

test('SPEC 14.2: a provider’s key is opened for its tenant and provider, and used', async () => {
  const standIn = await ModelStandIn.start('the-tenants-key');
  const provider = record('anthropic', {
    baseURL: standIn.baseURL('anthropic'),
    secrets: { apiKey: 'sealed:the-tenants-key' },
  });
  const engine = await engineOpener(box)('acme', provider);
  expect(await answerOf(engine, requestOf())).toContain('You said');
  expect(opened).toEqual([{ tenant: 'acme', owner: 'provider#mine' }]);
  await standIn.close();
});

test('SPEC 13.5: every engine is built without asking anybody; a missing key shows when it is used', async () => {
  for (const name of Object.keys(ENGINES) as EngineName[]) {
    const engine = await engineOpener(box)('acme', record(name));
    if (name === 'demo') continue;
    expect((await failureOf(engine)).fault).toBe(name === 'openai-compatible' ? 'bad-request' : 'unauthorized');
  }
});

/** The packages that a fresh process has loaded after this code. */
function loadedPackages(code: string): string {
  const script = `
    import { registerHooks } from 'node:module';
    const seen = new Set();
    registerHooks({ load(url, context, next) { seen.add(url); return next(url, context); } });
    ${code}
    console.log([...seen].join('\\n'));`;
  return execFileSync(process.execPath, ['--input-type=module', '-e', script], {
    encoding: 'utf8',
    cwd: process.cwd(),
  });
}

test('DESIGN 5: an engine is loaded when it is used, and no other one', () => {
  const open = (name: string) =>
    `const { ENGINES } = await import('./lib/providers/engines.ts'); await ENGINES['${name}']({ settings: {} });`;
  const demo = loadedPackages(open('demo'));
  expect(demo).toContain('/lib/providers/demo.ts');
  expect(demo).not.toMatch(/node_modules\/(ai|@ai-sdk)\//);
  const anthropic = loadedPackages(open('anthropic'));
  expect(anthropic).toContain('@ai-sdk/anthropic');
  expect(anthropic).not.toMatch(/@ai-sdk\/(amazon-bedrock|openai|google)\//);
});
