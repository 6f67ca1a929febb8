import { type Dirent, existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import { Failure } from './failure.ts';
import { readFrontMatter } from './frontMatter.ts';

/** What is pushed from a folder, and the files that make one of it. */
export type Pushed = 'commands' | 'skills';
const FILES: Record<Pushed, readonly string[]> = { commands: ['meta.json', 'COMMAND.md'], skills: ['SKILL.md'] };

/** A folder as it was read: each good one's body for the API, and why the others are none. */
export interface Folder {
  good: Map<string, Record<string, unknown>>;
  bad: Map<string, string>;
}

/** Why one cannot be read, in words. */
class Unreadable extends Error {}

/**
 * Reads a folder of custom commands or skills: `DIR/commands/NAME/…`, or `DIR` itself if it holds them.
 * @returns undefined if DIR is a folder without any: that is no error (SPEC 10.1).
 * @throws {Failure} if DIR does not exist, as one that was mistyped, or is no folder.
 */
export function readFolder(pushed: Pushed, dir: string): Folder | undefined {
  const root = rootOf(pushed, dir);
  if (root === undefined) return undefined;
  const folder: Folder = { good: new Map(), bad: new Map() };
  for (const name of namesIn(root)) {
    try {
      folder.good.set(name, READERS[pushed](join(root, name), name));
    } catch (error) {
      if (!(error instanceof Unreadable)) throw error;
      folder.bad.set(name, error.message);
    }
  }
  return folder;
}

function rootOf(pushed: Pushed, dir: string): string | undefined {
  if (!existsSync(dir)) throw new Failure(`The folder ${dir} does not exist; nothing was changed.`);
  if (!statSync(dir).isDirectory()) throw new Failure(`${dir} is no folder.`, 2);
  const inside = join(dir, pushed);
  if (existsSync(inside) && statSync(inside).isDirectory()) return inside;
  const isOne = (name: string) => FILES[pushed].some((file) => existsSync(join(dir, name, file)));
  return basename(join(dir, '.')) === pushed || namesIn(dir).some(isOne) ? dir : undefined;
}

/** The folders in it, but for hidden ones. */
function namesIn(root: string): string[] {
  const isFolder = (entry: Dirent) =>
    entry.isDirectory() ||
    (entry.isSymbolicLink() && statSync(join(root, entry.name), { throwIfNoEntry: false })?.isDirectory());
  const entries = readdirSync(root, { withFileTypes: true });
  return entries
    .filter((entry) => !entry.name.startsWith('.') && isFolder(entry))
    .map(({ name }) => name)
    .sort();
}

const READERS: Record<Pushed, (path: string, name: string) => Record<string, unknown>> = {
  commands: (path) => ({ meta: metaOf(readText(path, 'meta.json')), template: readText(path, 'COMMAND.md') }),
  skills(path, folder) {
    const file = readFrontMatter(readText(path, 'SKILL.md'));
    if (!file) throw new Unreadable('SKILL.md does not begin with front matter: ---, name and description, ---.');
    const { name, description } = file.fields;
    if (name === undefined) throw new Unreadable('The front matter of SKILL.md has no name.');
    if (name !== folder) throw new Unreadable(`The front matter of SKILL.md has another name than its folder: ${name}`);
    if (description === undefined) throw new Unreadable('The front matter of SKILL.md has no description.');
    return { description, text: file.text };
  },
};

function metaOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new Unreadable('meta.json cannot be read as JSON.');
  }
}

/** The file's text, without a byte order mark. */
function readText(path: string, file: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(readFileSync(join(path, file)));
  } catch (error) {
    const isMissing = (error as NodeJS.ErrnoException).code === 'ENOENT';
    throw new Unreadable(isMissing ? `${file} is missing.` : `${file} cannot be read as a text in UTF-8.`);
  }
}
