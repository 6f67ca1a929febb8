import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A tool of the stand-in: its definition as `tools/list` gives it, and what a call gives. */
export interface StandinTool {
  definition: Record<string, unknown>;
  run?: (args: Record<string, unknown>) => unknown;
}

export interface StandinPrompt {
  definition: Record<string, unknown>;
  get?: (args: Record<string, string>) => unknown;
}

interface Message {
  id?: number;
  method: string;
  params?: Record<string, unknown> & { name?: string; arguments?: Record<string, unknown>; cursor?: string };
}

interface Session {
  ready: boolean;
}

const LEGACY = '2025-11-25';
const MODERN = '2026-07-28';
const PAGE = 3;

/** How the stand-in behaves; a test changes it as it goes. */
export interface StandinMcp {
  tools: StandinTool[];
  prompts: StandinPrompt[];
  /** Answers come as event streams. */
  sse: boolean;
  /** It speaks the protocol without sessions. */
  modern: boolean;
  /** Headers that a request has to have. */
  wanted: Record<string, string>;
  /** Answers in the stand-in's stead. @returns whether it has. */
  intercept?: ((message: Message, request: IncomingMessage, response: ServerResponse) => boolean) | undefined;
}

/**
 * A tool server that speaks MCP over Streamable HTTP and is strict: it wants the media types, the session's id and the
 * version of the protocol in each request, and no request before the session is ready.
 */
export async function startMcp(options: Partial<StandinMcp> = {}) {
  const state: StandinMcp = { tools: [], prompts: [], sse: false, modern: false, wanted: {}, ...options };
  const sessions = new Map<string, Session>();
  const requests: { method: string; rpc: string | undefined; headers: IncomingMessage['headers']; body: string }[] = [];
  const faults: string[] = [];

  const handle = async (request: IncomingMessage, response: ServerResponse) => {
    const body = await bodyOf(request);
    const message = body === '' ? undefined : (JSON.parse(body) as Message);
    requests.push({ method: request.method ?? '', rpc: message?.method, headers: request.headers, body });
    if (message && state.intercept?.(message, request, response)) return;
    const missing = Object.entries(state.wanted).some(([name, value]) => request.headers[name] !== value);
    if (missing) return void response.writeHead(401).end('{"error":"who are you"}');
    if (request.method === 'DELETE') {
      sessions.delete(String(request.headers['mcp-session-id']));
      return void response.writeHead(200).end();
    }
    if (request.method !== 'POST' || !message) return void response.writeHead(405).end();
    const fault = faultOf(state, sessions, request, message);
    if (fault) {
      if (fault.status !== 404 && message.method !== 'server/discover') faults.push(fault.message);
      const error = { jsonrpc: '2.0', id: null, error: { code: -32_000, message: fault.message } };
      return void response.writeHead(fault.status, { 'content-type': 'application/json' }).end(JSON.stringify(error));
    }
    answer(state, sessions, request, response, message);
  };
  const server = createServer((request, response) => {
    handle(request, response).catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return Object.assign(state, {
    ...{ sessions, requests, faults, port, url: `http://127.0.0.1:${port}/mcp` },
    /** The methods of the protocol that were asked for, in order. */
    asked: () => requests.flatMap(({ rpc }) => (rpc === undefined ? [] : [rpc])),
    stop() {
      server.closeAllConnections();
      server.close();
    },
  });
}

export type RunningMcp = Awaited<ReturnType<typeof startMcp>>;

async function bodyOf(request: IncomingMessage): Promise<string> {
  let body = '';
  for await (const chunk of request.setEncoding('utf8')) body += chunk;
  return body;
}

type Fault = { status: number; message: string };

/** Why a request is not as the protocol wants it. */
function faultOf(
  { modern }: StandinMcp,
  sessions: ReadonlyMap<string, Session>,
  { headers }: IncomingMessage,
  { method, params, id }: Message,
): Fault | undefined {
  const bad = (message: string) => ({ status: 400, message });
  const accepts = String(headers.accept);
  if (!accepts.includes('application/json') || !accepts.includes('text/event-stream')) return bad('Accept');
  if (!String(headers['content-type']).startsWith('application/json')) return bad('Content-Type');
  if (modern) return modernFault(headers, method, params);
  if (method === 'initialize') return headers['mcp-session-id'] === undefined ? undefined : bad('A session already');
  if (headers['mcp-session-id'] === undefined) return bad('No session');
  const session = sessions.get(String(headers['mcp-session-id']));
  if (!session) return { status: 404, message: 'Session not found' };
  if (headers['mcp-protocol-version'] !== LEGACY) return bad('Protocol version');
  if (id !== undefined && !session.ready) return bad('Not initialized');
  return undefined;
}

function modernFault(headers: IncomingMessage['headers'], method: string, params: Message['params']) {
  const bad = (message: string) => ({ status: 400, message });
  if (headers['mcp-session-id'] !== undefined) return bad('There are no sessions');
  if (headers['mcp-protocol-version'] !== MODERN) return bad('Protocol version');
  if (headers['mcp-method'] !== method) return bad('Mcp-Method');
  const meta = params?._meta as Record<string, unknown> | undefined;
  return meta?.['io.modelcontextprotocol/protocolVersion'] === MODERN ? undefined : bad('Version in _meta');
}

function answer(
  state: StandinMcp,
  sessions: Map<string, Session>,
  request: IncomingMessage,
  response: ServerResponse,
  message: Message,
): void {
  if (message.method === 'notifications/initialized') {
    const session = sessions.get(String(request.headers['mcp-session-id']));
    if (session) session.ready = true;
    return void response.writeHead(202).end();
  }
  const headers: Record<string, string> = {};
  if (message.method === 'initialize') {
    headers['mcp-session-id'] = randomUUID();
    sessions.set(headers['mcp-session-id'], { ready: false });
  }
  const outcome = outcomeOf(state, message);
  const rpc = JSON.stringify({ jsonrpc: '2.0', id: message.id, ...outcome });
  if (!state.sse) return void response.writeHead(200, { ...headers, 'content-type': 'application/json' }).end(rpc);
  response.writeHead(200, { ...headers, 'content-type': 'text/event-stream' });
  response.end(`: hello\n\nevent: message\ndata: ${rpc}\n\n`);
}

function outcomeOf(state: StandinMcp, { method, params = {} }: Message): object {
  const done = (result: object) => ({ result: { ...result, ...(state.modern ? { resultType: 'complete' } : {}) } });
  const capabilities = {
    ...(state.tools.length > 0 && { tools: {} }),
    ...(state.prompts.length > 0 && { prompts: {} }),
  };
  const named = (things: { definition: Record<string, unknown> }[]) =>
    things.find(({ definition }) => definition.name === params.name);
  switch (method) {
    case 'initialize':
      return done({ protocolVersion: LEGACY, capabilities, serverInfo: { name: 'standin', version: '1' } });
    case 'server/discover':
      return done({ supportedVersions: [MODERN], capabilities });
    case 'tools/list':
      return done(pageOf('tools', state.tools, params.cursor));
    case 'prompts/list':
      return done(pageOf('prompts', state.prompts, params.cursor));
    case 'tools/call': {
      const tool = named(state.tools) as StandinTool | undefined;
      if (!tool) return { error: { code: -32_602, message: `Unknown tool: ${params.name}` } };
      return done((tool.run?.(params.arguments ?? {}) ?? { content: [] }) as object);
    }
    case 'prompts/get': {
      const prompt = named(state.prompts) as StandinPrompt | undefined;
      return done((prompt?.get?.((params.arguments ?? {}) as Record<string, string>) ?? { messages: [] }) as object);
    }
    default:
      return { error: { code: -32_601, message: 'Method not found' } };
  }
}

function pageOf(kind: string, things: { definition: object }[], cursor = '0') {
  const from = Number(cursor);
  const next = from + PAGE < things.length ? { nextCursor: String(from + PAGE) } : {};
  return { [kind]: things.slice(from, from + PAGE).map(({ definition }) => definition), ...next };
}

/** A tool that gives a text. */
export function textTool(
  name: string,
  run: (args: Record<string, unknown>) => string = () => `${name} ran`,
  more: Record<string, unknown> = {},
): StandinTool {
  const definition = { name, description: `Does ${name}`, inputSchema: { type: 'object', properties: {} }, ...more };
  return { definition, run: (args) => ({ content: [{ type: 'text', text: run(args) }] }) };
}
