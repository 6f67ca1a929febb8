import { MINUTE_MS } from '../lib/domain/limits.ts';
import type { Connection } from './connection.ts';
import { Failure, notRunning } from './failure.ts';
import { plainText } from './show.ts';

const TIMEOUT_MS = MINUTE_MS;

interface ProblemBody {
  title?: string;
  detail?: string;
  errors?: { field: string; reason: string }[];
}

/** One request to the API. */
export interface ApiRequest {
  method: string;
  path: string;
  body?: unknown;
}

/**
 * Calls the administration's API.
 * @param fieldName what a field that it refuses is called here.
 * @throws {Failure} with what it refused, in sentences.
 */
export async function callApi(
  connection: Connection,
  request: ApiRequest,
  fieldName = (field: string) => field,
): Promise<unknown> {
  const text = await callForText(connection, request, fieldName);
  return text === '' ? undefined : jsonOf(text);
}

/** As `callApi`, for an answer that is not one piece of JSON. */
export async function callForText(
  connection: Connection,
  { method, path, body }: ApiRequest,
  fieldName = (field: string) => field,
): Promise<string> {
  const { url, adminToken } = connection;
  if (!adminToken)
    throw new Failure(
      'There is no admin token; set CONCH_ADMIN_TOKEN, or start Conch here once (with the same CONCH_DATA, if any).',
    );
  const init = {
    method,
    headers: { authorization: `Bearer ${adminToken}`, 'content-type': 'application/json' },
    signal: AbortSignal.timeout(TIMEOUT_MS),
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  };
  const response = await fetch(`${url}${path}`, init).catch((error: unknown) => {
    throw error instanceof Error && error.name === 'TimeoutError'
      ? new Failure(`Conch at ${url} did not answer within a minute.`)
      : notRunning(url);
  });
  const text = await response.text();
  if (!response.ok) throw new Failure(refusal(response.status, text, fieldName));
  return text;
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new Failure('The answer is not one of Conch; check the address.');
  }
}

function problemOf(text: string): ProblemBody {
  try {
    return JSON.parse(text) as ProblemBody;
  } catch {
    return {};
  }
}

/** The problem as a sentence, and a line for each field that was refused. Of what is not there, only what that is. */
function refusal(status: number, text: string, fieldName: (field: string) => string): string {
  const { title, detail, errors = [] } = problemOf(text);
  if (title === undefined) return `The answer is not one of Conch (status ${status}); check the address.`;
  if (status === 404 && detail) return plainText(detail);
  const lines = errors.map(({ field, reason }) => `  ${fieldName(field)}: ${reason}`);
  return plainText(lines.length > 0 ? [`${title}:`, ...lines].join('\n') : `${title}. ${detail ?? ''}`.trim());
}
