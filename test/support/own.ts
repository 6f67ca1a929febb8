import type { CommandRecord, PromptRecord, SkillRecord, ToolServerRecord } from '../../lib/ports/tenants.ts';

/** A custom command of this name that people may run. */
export function custom(name: string, more: Partial<CommandRecord> = {}): CommandRecord {
  return { name, description: `Does ${name}`, enabled: true, who: 'people', template: `Do ${name}: {{args}}`, ...more };
}

export function skill(name: string, more: Partial<SkillRecord> = {}): SkillRecord {
  return { name, description: `How to ${name}`, text: `This is how to ${name}.`, ...more };
}

/** A tool server of this name with these prompts. */
export function toolServer(name: string, ...prompts: PromptRecord[]): ToolServerRecord {
  return { name, url: 'https://tools.example/mcp', headers: {}, prompts, catalog: 'mark', revision: 'r' };
}

export function prompt(name: string, description?: string): PromptRecord {
  return { name, ...(description === undefined ? {} : { description }), arguments: [] };
}
