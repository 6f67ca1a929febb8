import { resolve } from 'node:path';
import { type BuildOptions, type BuildResult, buildSync } from 'esbuild';
import { APP_NAMES } from '../lib/ports/tenants.ts';

/** The project's folder. */
export const PROJECT = resolve(import.meta.dirname, '..');

/** The functions by name; each is `functions/<name>.ts`. */
export const FUNCTIONS = [...APP_NAMES, 'admin', 'worker', 'deadLetters', 'sweeper'] as const;
export type FunctionName = (typeof FUNCTIONS)[number];

/** Code from CommonJS packages calls `require`, which ES modules do not have. The name meets none of theirs. */
const REQUIRE =
  "import { createRequire as conchCreateRequire } from 'node:module'; const require = conchCreateRequire(import.meta.url);";

/**
 * How functions are bundled. Split, so that what is imported when it is used (an engine, KMS) is a file that is read
 * only then; a single file would be parsed whole at each cold start. The names of classes and functions are kept: logs
 * show them, and stack traces can be read without source maps, which the package therefore does not carry.
 */
export const BUNDLING = {
  absWorkingDir: PROJECT,
  bundle: true,
  platform: 'node',
  target: 'node24',
  format: 'esm',
  mainFields: ['module', 'main'],
  splitting: true,
  minify: true,
  keepNames: true,
  legalComments: 'none',
  charset: 'utf8',
  outExtension: { '.js': '.mjs' },
  banner: { js: REQUIRE },
  metafile: true,
  logLevel: 'warning',
} as const satisfies BuildOptions;

/** Bundles a function into a folder, as `index.mjs` and the files that it imports. */
export function bundleFunction(name: FunctionName, outdir: string): BuildResult<typeof BUNDLING> {
  const entryPoints = [{ in: `functions/${name}.ts`, out: 'index' }];
  return buildSync({ ...BUNDLING, entryPoints, outdir });
}
