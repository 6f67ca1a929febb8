import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { describe, expect, test } from 'vitest';
import { APP_NAMES } from '../lib/ports/tenants.ts';

/** A source file: its path from the project's root, and its text. */
interface Source {
  path: string;
  text: string;
}

const ROOTS = ['lib', 'functions', 'local', 'cli'];

function sources(): Source[] {
  const paths = ROOTS.flatMap((root) =>
    readdirSync(root, { recursive: true, encoding: 'utf8' }).map((p) => join(root, p)),
  );
  return paths.filter((path) => path.endsWith('.ts')).map((path) => ({ path, text: readFileSync(path, 'utf8') }));
}

/** What the files of a layer may import: layers of ours, and packages (or built-in modules) by the start of their name. */
interface Rule {
  layers: string[];
  /** Absent: any package. */
  packages?: string[];
  /** Layers of which only types may be imported. */
  typesOnly?: string[];
}

/**
 * The imports of DESIGN 4: `domain ← commands ← conversations → ports ← channels, providers, tools, tenants, aws`. Only
 * `functions/`, `local/` and `cli/` see both sides.
 */
const RULES: Record<string, Rule> = {
  'lib/domain': { layers: [], packages: ['zod', 'node:crypto'] },
  'lib/commands': { layers: ['lib/domain', 'lib/ports'], packages: [], typesOnly: ['lib/ports'] },
  'lib/ports': { layers: ['lib/domain'], packages: ['zod'] },
  'lib/conversations': { layers: ['lib/domain', 'lib/commands', 'lib/ports'], packages: ['node:crypto'] },
  'lib/http': { layers: [], packages: ['node:http', 'node:stream'] },
  'lib/channels/shared': { layers: ['lib/domain', 'lib/ports', 'lib/http'] },
  ...Object.fromEntries(
    APP_NAMES.map((app) => [`lib/channels/${app}`, { layers: ['lib/domain', 'lib/ports', 'lib/channels/shared'] }]),
  ),
  'lib/channels': {
    layers: ['lib/ports', ...APP_NAMES.map((app) => `lib/channels/${app}`)],
    packages: [],
  },
  'lib/providers': { layers: ['lib/domain', 'lib/ports'] },
  'lib/tools': { layers: ['lib/domain', 'lib/ports', 'lib/http'] },
  'lib/tenants': { layers: ['lib/domain', 'lib/ports'], packages: ['node:net', 'node:crypto'] },
  'lib/aws': { layers: ['lib/domain', 'lib/ports', 'lib/http'] },
  // The administration's use-cases, beside the conversations.
  'lib/administration': { layers: ['lib/domain', 'lib/commands', 'lib/conversations', 'lib/tenants', 'lib/ports'] },
  functions: { layers: ['lib', 'functions'] },
  local: { layers: ['lib', 'functions', 'local'] },
  cli: { layers: ['lib', 'local', 'cli'] },
};

/** The layer of a path: the most special one that holds it. */
function layerOf(path: string): string | undefined {
  const holding = Object.keys(RULES).filter((layer) => path.startsWith(`${layer}/`));
  return holding.sort((a, b) => b.length - a.length)[0];
}

interface Import {
  from: string;
  typeOnly: boolean;
}

function importsOf({ path, text }: Source): Import[] {
  const found = text.matchAll(
    /(?:^|\n)\s*(?:import|export)\s+(type\s)?[^;]*?from '([^']+)'|import\('([^']+)'\)|\nimport '([^']+)'/gu,
  );
  return [...found].map(([, type, from, dynamic, bare]) => {
    const name = from ?? dynamic ?? bare ?? '';
    return { from: name.startsWith('.') ? normalize(join(dirname(path), name)) : name, typeOnly: type !== undefined };
  });
}

/** What is wrong with one import of a file; undefined if it is allowed. */
function faultOf(layer: string, { from, typeOnly }: Import): string | undefined {
  const { layers, packages, typesOnly } = RULES[layer] ?? { layers: [] };
  const isOurs = from.endsWith('.ts') || ROOTS.some((root) => from.startsWith(`${root}/`));
  if (!isOurs) {
    const isAllowed = !packages || packages.some((name) => from === name || from.startsWith(`${name}/`));
    return isAllowed ? undefined : `the package ${from}`;
  }
  const target = layerOf(from);
  if (target === layer) return undefined;
  const isAllowed = layers.some((one) => target === one || (one === 'lib' && from.startsWith('lib/')));
  if (!isAllowed) return from;
  return typesOnly?.includes(target ?? '') && !typeOnly ? `more than types of ${from}` : undefined;
}

/** Every import that breaks the table, as a sentence. */
function brokenImports(files: readonly Source[]): string[] {
  return files.flatMap((file) => {
    const layer = layerOf(file.path);
    if (!layer) return [`${file.path} stands in no layer`];
    return importsOf(file).flatMap((one) => {
      const fault = faultOf(layer, one);
      return fault ? [`${file.path} imports ${fault}`] : [];
    });
  });
}

/** The chat apps: each a folder of its own. */
const APPS = readdirSync('lib/channels', { withFileTypes: true })
  .filter((entry) => entry.isDirectory() && entry.name !== 'shared')
  .map(({ name }) => name);

const PURE = [
  /^lib\/(domain|commands|conversations)\//u,
  new RegExp(`^lib/channels/(${APPS.join('|')})/(verify|read\\w*|payload|address|content|apology|render)\\.ts$`, 'u'),
  /^lib\/channels\/shared\/(addressing|fields|formTried|graphemes|json|labels|links|markdown|markdownCost|press|rich|roots|shape|spanWriter|split|tables|unread|writeWithin)\.ts$/u,
];

/** Time, chance and settings are arguments where code is pure; in the use-cases they come from the runtime. */
function impurities(files: readonly Source[]): string[] {
  const reach = /Date\.now\(|new Date\(\)|Math\.random\(|process\.env|setTimeout\(|randomUUID\(|randomBytes\(/gu;
  return files
    .filter(({ path }) => PURE.some((pattern) => pattern.test(path)))
    .flatMap(({ path, text }) => [...text.matchAll(reach)].map(([what]) => `${path} reaches for ${what}`));
}

/** What differs between apps is a capability in the app's row, never a comparison with its name. */
function appComparisons(files: readonly Source[]): string[] {
  const name = `['"\`](?:${APPS.join('|')})['"\`]`;
  const comparison = new RegExp(`[=!]==?\\s*${name}|${name}\\s*[=!]==?|case ${name}:`, 'u');
  return files
    .filter(({ path, text }) => !path.startsWith('lib/channels/') && comparison.test(text))
    .map(({ path }) => `${path} compares with the name of an app`);
}

const files = sources();

describe('architecture (DESIGN 4)', () => {
  test('every import is one that the table allows', () => expect(brokenImports(files)).toEqual([]));

  test('time, chance and settings are reached for by no pure code and by no use-case', () =>
    expect(impurities(files)).toEqual([]));

  test('nobody but an app’s own folder compares with its name', () => expect(appComparisons(files)).toEqual([]));

  test('every chat app has the same parts', () => {
    for (const app of APPS) {
      const parts = [
        'check.ts',
        'connect.ts',
        'index.ts',
        'limits.ts',
        'menu.ts',
        'payload.ts',
        'read.ts',
        'render.ts',
        'send.ts',
        'settings.ts',
      ];
      expect(readdirSync(`lib/channels/${app}`)).toEqual(expect.arrayContaining([...parts, 'verify.ts']));
    }
  });

  test('what only some chat apps have stands in the same file in each', () => {
    const parts = { responder: 'respond', manifest: 'manifest', apology: 'apology', workspaces: 'workspaces' };
    for (const app of APPS) {
      const index = readFileSync(`lib/channels/${app}/index.ts`, 'utf8');
      const names = readdirSync(`lib/channels/${app}`);
      for (const [part, file] of Object.entries(parts)) {
        expect([app, part, index.includes(`import { ${part} } from './${file}.ts'`)]).toEqual([
          ...[app, part, names.includes(`${file}.ts`)],
        ]);
      }
    }
  });

  test('every chat app is its folder, its function and its name', () => {
    expect(APPS.toSorted()).toEqual(APP_NAMES.toSorted());
    expect(readdirSync('functions')).toEqual(expect.arrayContaining(APP_NAMES.map((app) => `${app}.ts`)));
  });
});

describe('the checks themselves can fail', () => {
  const file = (path: string, text: string): Source[] => [{ path, text }];

  test.each([
    ['lib/domain/x.ts', "import { y } from '../ports/log.ts';"],
    ['lib/domain/x.ts', "import { readFileSync } from 'node:fs';"],
    ['lib/commands/x.ts', "import { z } from 'zod';"],
    ['lib/commands/x.ts', "import { OWED_SHARDS } from '../ports/log.ts';"],
    ['lib/commands/x.ts', "import type { Deps } from '../conversations/deps.ts';"],
    ['lib/conversations/x.ts', "import { telegram } from '../channels/telegram/index.ts';"],
    ['lib/conversations/x.ts', "const { a } = await import('../aws/log.ts');"],
    ['lib/channels/text/x.ts', "import {\n  callApi,\n} from '../telegram/api.ts';"],
    ['lib/channels/text/x.ts', "export { route } from '../../conversations/route.ts';"],
    ['lib/providers/x.ts', "import { DynamoLog } from '../aws/log.ts';"],
    ['lib/aws/x.ts', "import { engineOpener } from '../providers/engines.ts';"],
    ['lib/administration/x.ts', "import { DynamoLog } from '../aws/log.ts';"],
    ['functions/x.ts', "import { start } from '../local/start.ts';"],
    ['lib/somewhere/x.ts', ''],
  ])('%s: %s', (path, text) => expect(brokenImports(file(path, text))).toHaveLength(1));

  test('reaching out and comparing', () => {
    expect(impurities(file('lib/domain/x.ts', 'const now = Date.now();'))).toHaveLength(1);
    expect(impurities(file('lib/channels/text/read.ts', 'process.env.PORT'))).toHaveLength(1);
    expect(impurities(file('lib/channels/text/send.ts', 'Date.now()'))).toEqual([]);
    expect(appComparisons(file('lib/conversations/x.ts', "if (app.name === 'telegram') {"))).toHaveLength(1);
    expect(appComparisons(file('functions/x.ts', "switch (app) { case 'slack': }"))).toHaveLength(1);
    expect(appComparisons(file('lib/channels/telegram/x.ts', "app === 'telegram'"))).toEqual([]);
  });
});
