import { LOAD_SKILL } from '../domain/toolCalls.ts';
import type { SkillRecord } from '../ports/tenants.ts';
import type { Tool } from '../ports/tools.ts';

/** The tool with which a model loads a skill's text (SPEC 10.4). None where there are no skills. */
export function skillTools(skills: readonly SkillRecord[]): Tool[] {
  if (skills.length === 0) return [];
  const names = skills.map(({ name }) => name);
  return [
    {
      ...{ name: LOAD_SKILL, title: 'a skill', readOnly: true, destructive: false, grant: LOAD_SKILL },
      description: 'Gives the text of a skill. Load a skill before you do what it is for, and follow its text.',
      inputSchema: {
        type: 'object',
        properties: { name: { type: 'string', enum: names } },
        required: ['name'],
        additionalProperties: false,
      },
      async run(input, signal) {
        signal.throwIfAborted();
        const wanted = (input as { name?: unknown } | null)?.name;
        const skill = skills.find(({ name }) => name === wanted);
        if (skill) return { text: skill.text };
        return { text: `There is no such skill. There are: ${names.join(', ')}.`, error: true };
      },
    },
  ];
}
