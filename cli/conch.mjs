#!/usr/bin/env node
// Starts the command line on the project's own Node, whatever Node runs this file.
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'];

/** The binary of the `node` package, or undefined if it is not installed. */
function ownNode() {
  try {
    const home = dirname(createRequire(import.meta.url).resolve('node/package.json'));
    const binary = join(home, 'bin', process.platform === 'win32' ? 'node.exe' : 'node');
    return existsSync(binary) ? binary : undefined;
  } catch {
    return undefined;
  }
}

const node = ownNode();
if (!node) {
  console.error('Conch is not installed completely; run npm install first.');
  process.exit(1);
}

const main = fileURLToPath(new URL('main.ts', import.meta.url));
const child = spawn(node, [main, ...process.argv.slice(2)], { stdio: 'inherit' });
for (const signal of SIGNALS) process.on(signal, () => child.kill(signal));
child.on('error', () => {
  console.error('Conch could not be started; run npm install again.');
  process.exit(1);
});
child.on('exit', (code, signal) => {
  for (const name of SIGNALS) process.removeAllListeners(name);
  if (signal) process.kill(process.pid, signal);
  else process.exit(code ?? 1);
});
