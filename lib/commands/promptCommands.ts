import type { PromptRecord, ToolServerRecord } from '../ports/tenants.ts';
import { nameKey } from './parse.ts';

/** A prompt of a tool server as a command (SPEC 4.4). */
export interface PromptCommand {
  /** What is typed behind the slash. */
  name: string;
  server: string;
  prompt: PromptRecord;
}

/** The name as a command can have it (SPEC 3.1): without a slash before it, and with `_` for what is not allowed. */
function commandName(name: string): string {
  return name
    .trim()
    .replace(/^\/+/u, '')
    .replace(/[^\p{L}\p{M}\p{N}_:-]+/gu, '_')
    .toLowerCase();
}

/**
 * The prompts of a tenant's tool servers as commands, in the servers' order. Equal names are one: the first that has a
 * description, else the first (SPEC 15.5).
 */
export function promptCommands(servers: readonly ToolServerRecord[]): PromptCommand[] {
  const byKey = new Map<string, PromptCommand>();
  for (const { name: server, prompts } of servers) {
    for (const prompt of prompts) {
      const name = commandName(prompt.name);
      const before = byKey.get(nameKey(name));
      const isBetter = !before || (prompt.description !== undefined && before.prompt.description === undefined);
      if (name !== '' && isBetter) byKey.set(nameKey(name), { name, server, prompt });
    }
  }
  return [...byKey.values()];
}
