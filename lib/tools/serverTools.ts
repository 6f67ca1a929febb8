import { createHash } from 'node:crypto';
import type { ToolRecord, ToolServerRecord } from '../ports/tenants.ts';
import type { Tool, ToolOutput } from '../ports/tools.ts';
import { ToolServerError } from './fault.ts';
import { toolName } from './names.ts';
import { bounded, failureOf, resultOf } from './results.ts';
import type { ToolSession, Work } from './session.ts';
import { oneLine } from './text.ts';

const TITLE_CHARS = 120;

/** Gives the session with the server, which begins when something is asked of it. */
export type SessionOf = () => Promise<ToolSession>;

/** The tools of one server, as a model is offered them: those that the tenant wants. */
export function serverTools(server: ToolServerRecord, tools: readonly ToolRecord[], session: SessionOf): Tool[] {
  return tools
    .filter(({ name }) => server.only === undefined || server.only.includes(name))
    .map((tool) => toTool(server, tool, session));
}

function toTool({ name: server, url }: ToolServerRecord, tool: ToolRecord, session: SessionOf): Tool {
  const { name, title, description, inputSchema, readOnly, destructive } = tool;
  return {
    name: toolName(server, name),
    title: oneLine(`${server}: ${title ?? name}`, TITLE_CHARS),
    ...{ description: description === '' ? (title ?? name) : description, inputSchema, readOnly },
    ...(destructive === undefined ? {} : { destructive }),
    grant: `${server}/${name}#${placeOf(url)}`,
    run: (input, signal) => call(server, name, session, input, signal),
  };
}

/** What is allowed on one server is not allowed on another that has its name later. */
function placeOf(url: string): string {
  return createHash('sha256').update(url).digest('hex').slice(0, 8);
}

async function call(
  server: string,
  name: string,
  session: SessionOf,
  input: unknown,
  signal: AbortSignal,
): Promise<ToolOutput> {
  const given = argumentsOf(input);
  if (!given) return { text: 'The input of a tool has to be an object.', error: true };
  return asked(server, session, signal, async (client, options) =>
    resultOf(await client.callTool({ name, arguments: given, options })),
  );
}

/** Asks a server, and gives what goes wrong in words for a model; without the tenant's credentials either way. */
export async function asked(
  server: string,
  sessionOf: SessionOf,
  signal: AbortSignal,
  work: Work<ToolOutput>,
): Promise<ToolOutput> {
  signal.throwIfAborted();
  const session = await sessionOf();
  const hidden = (output: ToolOutput) => ({ ...output, text: bounded(session.hide(output.text)) });
  try {
    return hidden(await session.ask(work, signal));
  } catch (error) {
    signal.throwIfAborted();
    return hidden(failureOf(server, error instanceof ToolServerError ? error : new ToolServerError('unreadable')));
  }
}

function argumentsOf(input: unknown): Record<string, unknown> | undefined {
  if (input === undefined || input === null) return {};
  return typeof input === 'object' && !Array.isArray(input) ? (input as Record<string, unknown>) : undefined;
}
