import type { IncomingMessage, ServerResponse } from 'node:http';
import { type Call, type Failure, paramsOf, Refusal } from './slackParts.ts';
import type { Params } from './slackRules.ts';

/** A request to the stand-in of Slack. */
export interface Asked {
  call: Call;
  path: string;
  bytes: Buffer;
  isForm: boolean;
  authorization: string | undefined;
}

export type Outcome = { result: Params } | { error: string };

/** Reads a request: a method of the Web API, a response URL (`response_url`) or the bytes of a file (`upload`). */
export async function askedOf(request: IncomingMessage): Promise<Asked> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const bytes = Buffer.concat(chunks);
  const { 'content-type': type = '', authorization } = request.headers;
  const isForm = type.startsWith('application/x-www-form-urlencoded');
  const path = request.url ?? '';
  const method = methodOf(path);
  return {
    call: { method, params: method === 'upload' ? {} : paramsOf(bytes, isForm) },
    ...{ path, bytes, isForm, authorization },
  };
}

function methodOf(path: string): string {
  if (path.startsWith('/upload/')) return 'upload';
  return path.startsWith('/hooks/') ? 'response_url' : path.replace(/^\/api\//, '');
}

/** What a call gives, or the error that it is refused with. */
export function outcomeOf(run: () => Params): Outcome {
  try {
    return { result: run() };
  } catch (error) {
    if (error instanceof Refusal) return { error: error.error };
    throw error;
  }
}

/** Answers as Slack does: 200 whatever the Web API says, but for too many calls; 404 for a response URL that is over. */
export function answer(
  response: ServerResponse,
  method: string,
  outcome: Outcome,
  failure?: Extract<Failure, { kind: 'error' }>,
  scopes?: readonly string[],
): void {
  const isPlain = method === 'response_url' || method === 'upload';
  const isRefused = 'error' in outcome;
  const status = failure?.status ?? (isRefused && isPlain ? 404 : 200);
  const wait = failure?.retryAfterS === undefined ? {} : { 'retry-after': String(failure.retryAfterS) };
  const rights = scopes ? { 'x-oauth-scopes': scopes.join(',') } : {};
  response.writeHead(status, { 'content-type': 'application/json', ...wait, ...rights });
  if (isRefused) response.end(JSON.stringify({ ok: false, error: outcome.error }));
  else response.end(isPlain ? 'ok' : JSON.stringify({ ok: true, ...outcome.result }));
}
