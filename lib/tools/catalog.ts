import { createHash } from 'node:crypto';
import type { MCPClient } from '@ai-sdk/mcp';
import type { PromptRecord, ToolCatalog, ToolRecord } from '../ports/tenants.ts';
import type { ToolSession } from './session.ts';
import { cut, oneLine } from './text.ts';

/** What of a server is kept. Providers take 128 tools at most, and a catalog is one item of 400 KB at most. */
const MOST_TOOLS = 100;
const MOST_PROMPTS = 50;
const MOST_ARGUMENTS = 10;
const MOST_PAGES = 20;
const MOST_LEFT_OUT = 50;
const ALL_BYTES = 250_000;
const NAME_CHARS = 128;
const TITLE_CHARS = 80;
const DESCRIPTION_CHARS = 2_000;
const SCHEMA_CHARS = 20_000;
const HINT_CHARS = 200;

type Listed = Awaited<ReturnType<MCPClient['listTools']>>['tools'];
type ListedPrompts = Awaited<ReturnType<MCPClient['listPrompts']>>['prompts'];

/** What a server offers. */
export interface Offer {
  tools: ToolRecord[];
  leftOut: ToolCatalog['leftOut'];
  prompts: PromptRecord[];
  protocol: string;
}

/** Asks for all pages of what a server offers; without prompts it has its tools. @throws {ToolServerError} */
export function askOffer(session: ToolSession, signal: AbortSignal): Promise<Offer> {
  return session.ask(async (client, options) => {
    const { capabilities, protocolVersion } = client.initializeResult;
    const tools = capabilities.tools
      ? await allPages(MOST_TOOLS, async (params) => {
          const page = await client.listTools({ ...params, options });
          return { rows: page.tools, nextCursor: page.nextCursor };
        })
      : [];
    const prompts = capabilities.prompts
      ? await allPages(MOST_PROMPTS, async (params) => {
          const page = await client.listPrompts({ ...params, options });
          return { rows: page.prompts, nextCursor: page.nextCursor };
        }).catch(() => [])
      : [];
    const isSecret = (text: string) => session.hide(text) !== text;
    return { ...readTools(tools, isSecret), prompts: readPrompts(prompts, isSecret), protocol: protocolVersion };
  }, signal);
}

interface Page<T> {
  rows: T[];
  nextCursor: string | undefined;
}

/** The rows of all pages; no further than there is use for them, and never the same page again. */
async function allPages<T>(
  most: number,
  ask: (params: { params?: { cursor: string } }) => Promise<Page<T>>,
): Promise<T[]> {
  const rows: T[] = [];
  let cursor: string | undefined;
  for (let page = 0; page < MOST_PAGES && rows.length <= most; page++) {
    const answer = await ask(cursor === undefined ? {} : { params: { cursor } });
    rows.push(...answer.rows);
    if (!answer.nextCursor || answer.nextCursor === cursor) break;
    cursor = answer.nextCursor;
  }
  return rows;
}

/** The tools that can be offered, and why the others cannot. @param isSecret whether a text holds a credential. */
function readTools(listed: Listed, isSecret: (text: string) => boolean): Pick<Offer, 'tools' | 'leftOut'> {
  const tools: ToolRecord[] = [];
  const leftOut: ToolCatalog['leftOut'] = [];
  let bytes = 0;
  for (const one of listed) {
    const tool = toTool(one);
    const size = Buffer.byteLength(JSON.stringify(tool));
    const reason =
      faultOf(one, tool, tools, isSecret) ?? (bytes + size > ALL_BYTES ? 'There is no more room.' : undefined);
    if (reason === undefined) {
      tools.push(tool);
      bytes += size;
    } else leftOut.push({ name: isSecret(one.name) ? '(unnamed)' : oneLine(one.name, TITLE_CHARS), reason });
  }
  const more = leftOut.length - MOST_LEFT_OUT;
  if (more <= 0) return { tools, leftOut };
  return { tools, leftOut: [...leftOut.slice(0, MOST_LEFT_OUT), { name: `${more} more`, reason: 'As these.' }] };
}

function toTool({ name, title, description = '', inputSchema, annotations }: Listed[number]): ToolRecord {
  const shown = oneLine(title ?? annotations?.title ?? '', TITLE_CHARS);
  return {
    name,
    ...(shown === '' ? {} : { title: shown }),
    description: cut(description.trim(), DESCRIPTION_CHARS, 'The description goes on.'),
    inputSchema: { ...inputSchema, type: inputSchema.type ?? 'object', properties: inputSchema.properties ?? {} },
    readOnly: annotations?.readOnlyHint === true,
    ...(annotations?.destructiveHint === undefined ? {} : { destructive: annotations.destructiveHint }),
  };
}

function faultOf(
  { name }: Listed[number],
  tool: ToolRecord,
  before: readonly ToolRecord[],
  isSecret: (text: string) => boolean,
): string | undefined {
  if (before.length === MOST_TOOLS) return `A server can have ${MOST_TOOLS} tools at most.`;
  if (name.trim() === '' || name.length > NAME_CHARS) return `Its name has to have 1 to ${NAME_CHARS} characters.`;
  if (before.some((one) => one.name === name)) return 'Another tool of the server has this name.';
  if (tool.inputSchema.type !== 'object') return 'Its input is no object.';
  const json = JSON.stringify(tool);
  if (JSON.stringify(tool.inputSchema).length > SCHEMA_CHARS) {
    return `The description of its input has more than ${SCHEMA_CHARS} characters.`;
  }
  return isSecret(json) ? 'It repeats the credentials that Conch sends.' : undefined;
}

function readPrompts(listed: ListedPrompts, isSecret: (text: string) => boolean): PromptRecord[] {
  const prompts = listed
    .filter(({ name }) => name.trim() !== '' && name.length <= NAME_CHARS)
    .map(({ name, title, description, arguments: args = [] }): PromptRecord => {
      const about = oneLine(description ?? title ?? '', HINT_CHARS);
      const kept = args.filter((one) => one.name.length <= NAME_CHARS).slice(0, MOST_ARGUMENTS);
      return { name, ...(about === '' ? {} : { description: about }), arguments: kept.map(toArgument) };
    });
  return prompts.filter((prompt) => !isSecret(JSON.stringify(prompt))).slice(0, MOST_PROMPTS);
}

function toArgument({ name, description, required }: NonNullable<ListedPrompts[number]['arguments']>[number]) {
  const about = oneLine(description ?? '', HINT_CHARS);
  return { name, ...(about === '' ? {} : { description: about }), ...(required ? { required: true as const } : {}) };
}

/** Names what a server offers. */
export function markOf({ tools, leftOut, prompts, protocol }: Offer): string {
  const what = JSON.stringify([tools, leftOut, prompts, protocol]);
  return createHash('sha256').update(what).digest('base64url');
}
