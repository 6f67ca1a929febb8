import type { PromptRecord } from '../ports/tenants.ts';
import type { Tool, ToolOutput } from '../ports/tools.ts';
import { LOAD_PROMPT } from './names.ts';
import { promptText } from './results.ts';
import { asked, type SessionOf } from './serverTools.ts';

/** A prompt of a tool server. */
export interface ServerPrompt {
  /** The command by which people ask for it, without the slash. */
  name: string;
  server: string;
  prompt: PromptRecord;
}

/**
 * The tool with which a model loads a prompt of a tool server. A person's command goes to the model as typed (SPEC 4.5),
 * so its description says which commands there are. None where there are no prompts.
 */
export function promptTools(prompts: readonly ServerPrompt[], sessionOf: (server: string) => SessionOf): Tool[] {
  if (prompts.length === 0) return [];
  return [
    {
      ...{ name: LOAD_PROMPT, title: 'a prompt', readOnly: true, destructive: false, grant: LOAD_PROMPT },
      description: describe(prompts),
      inputSchema: {
        type: 'object',
        properties: {
          name: { type: 'string', enum: prompts.map(({ name }) => name) },
          arguments: { type: 'object', additionalProperties: { type: 'string' } },
        },
        required: ['name'],
        additionalProperties: false,
      },
      async run(input, signal) {
        signal.throwIfAborted();
        const { name: asked, arguments: given } = (input ?? {}) as { name?: unknown; arguments?: unknown };
        const wanted = typeof asked === 'string' ? asked.replace(/^\//u, '') : undefined;
        const found = prompts.find(({ name }) => name === wanted);
        if (found) return load(found, given, sessionOf(found.server), signal);
        const names = prompts.map(({ name }) => name).join(', ');
        return { text: `There is no such prompt. There are: ${names}.`, error: true };
      },
    },
  ];
}

function describe(prompts: readonly ServerPrompt[]): string {
  return [
    'Gives the text of a prompt. A message of the person that begins with / and one of the names below asks for that',
    'prompt: load it first, with what follows the name as its arguments, then do what it says.',
    ...prompts.map(({ name, prompt }) => {
      const args = prompt.arguments.map((one) => (one.required ? one.name : `${one.name} (optional)`)).join(', ');
      return `- /${name}: ${prompt.description ?? prompt.name}${args === '' ? '' : `; arguments: ${args}`}`;
    }),
  ].join('\n');
}

function load({ server, prompt }: ServerPrompt, given: unknown, session: SessionOf, signal: AbortSignal) {
  const args = textsOf(given);
  const missing = prompt.arguments.filter(({ name, required }) => required && args[name] === undefined);
  if (missing.length > 0) {
    const names = missing.map(({ name }) => name).join(', ');
    return { text: `The prompt needs these arguments: ${names}.`, error: true } satisfies ToolOutput;
  }
  return asked(server, session, signal, async (client, options): Promise<ToolOutput> => {
    const { messages } = await client.getPrompt({ name: prompt.name, arguments: args, options });
    return { text: promptText(messages) };
  });
}

/** The protocol knows texts only. */
function textsOf(given: unknown): Record<string, string> {
  if (typeof given !== 'object' || given === null || Array.isArray(given)) return {};
  return Object.fromEntries(
    Object.entries(given).map(([name, value]) => [name, typeof value === 'string' ? value : JSON.stringify(value)]),
  );
}
