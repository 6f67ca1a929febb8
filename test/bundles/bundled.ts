import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bundleFunction, FUNCTIONS, type FunctionName } from '../../infra/bundling.ts';

/** What the functions read of their environment while they are imported. */
export const ENVIRONMENT = {
  ...{ AWS_REGION: 'us-east-1', AWS_ACCESS_KEY_ID: 'test', AWS_SECRET_ACCESS_KEY: 'test', CONCH_TABLE: 'conch' },
  ...{ CONCH_QUEUE_URL: 'https://sqs.us-east-1.amazonaws.com/000000000000/conch', CONCH_KMS_KEY_ID: 'alias/conch' },
  ...{ CONCH_ADMIN_TOKEN_SHA256: '0'.repeat(64), CONCH_PUBLIC_URL: 'https://conch.example' },
};

type Metafile = ReturnType<typeof bundleFunction>['metafile'];

/** The bundles of functions, in a folder outside the project, where no `node_modules` can help them. */
export function bundleAll(names: readonly FunctionName[] = FUNCTIONS) {
  const root = mkdtempSync(join(tmpdir(), 'conch-bundles-'));
  const folder = (name: FunctionName) => join(root, name);
  const metafiles = new Map(names.map((name) => [name, bundleFunction(name, folder(name)).metafile]));
  return { folder, metafiles, remove: () => rmSync(root, { recursive: true, force: true }) };
}

/** The bytes of a bundle: of all its files, and of those that are read at its start. */
export function bytesOf({ outputs }: Metafile): { total: number; atStart: number } {
  const bytes = (files: Iterable<string>) => [...files].reduce((sum, file) => sum + (outputs[file]?.bytes ?? 0), 0);
  return { total: bytes(Object.keys(outputs)), atStart: bytes(filesAtStart({ outputs })) };
}

/** The source files whose code is in a bundle. @param files only in these of its files. */
export function sourcesOf(
  { outputs }: Pick<Metafile, 'outputs'>,
  files: Iterable<string> = Object.keys(outputs),
): string[] {
  const inputs = [...files].flatMap((file) => Object.entries(outputs[file]?.inputs ?? {}));
  return inputs.filter(([, { bytesInOutput }]) => bytesInOutput > 0).map(([path]) => path);
}

/** The entry point and what it imports, but not what it imports when it is used. */
export function filesAtStart({ outputs }: Pick<Metafile, 'outputs'>): Set<string> {
  const entry = Object.keys(outputs).find((file) => /(^|\/)(index|stdin)\.mjs$/u.test(file)) ?? '';
  const found = new Set([entry]);
  for (const file of found) {
    for (const { path, kind, external } of outputs[file]?.imports ?? []) {
      if (kind === 'import-statement' && !external) found.add(path);
    }
  }
  return found;
}
