import { MINUTE_MS } from '../lib/domain/limits.ts';
import { type Finding, fine, problem } from '../lib/ports/health.ts';
import { type Arguments, allowOptions } from './arguments.ts';
import type { Connection } from './connection.ts';
import { plainText } from './show.ts';

/** Apps and providers are asked, each with a limit of its own. */
const TIMEOUT_MS = 2 * MINUTE_MS;
const REACH_TIMEOUT_MS = 10_000;

interface Check extends Finding {
  about: string;
}

/** What `GET …/health` answers. */
interface Health {
  checks: Check[];
  today: { turns?: number; inputTokens?: number; outputTokens?: number };
}

/**
 * Looks whether Conch answers, whether the token opens it, and at all that the tenant has; the rest is the server's to
 * ask, which has the secrets.
 * @returns what to print, and whether something is wrong.
 */
export async function doctor(
  args: Arguments,
  connection: Connection,
  tenant: string,
): Promise<{ text: string; failed: boolean }> {
  allowOptions(args, ['url', 'tenant']);
  const reached = await reachCheck(connection);
  const checks = [...reached, ...(reached.some(isProblem) ? [] : await tenantChecks(connection, tenant))];
  const failed = checks.some(isProblem);
  if (args.flags.has('json')) return { text: JSON.stringify(checks, undefined, 2), failed };
  return { text: plainText(`${grouped(checks)}\n\n${verdict(checks)}`), failed };
}

const isProblem = ({ status }: Finding) => status === 'problem';
const ofConch = (findings: readonly Finding[]): Check[] => findings.map((one) => ({ about: 'Conch', ...one }));

async function reachCheck({ url, adminToken }: Connection): Promise<Check[]> {
  const response = await ask(`${url}/healthz`, {}, REACH_TIMEOUT_MS);
  if (!response) {
    const todo = 'Start it with “npm start”, or say where it is: --url, or CONCH_URL.';
    return ofConch([problem(`Nobody answers at ${url}.`, todo)]);
  }
  const isConch = response.status === 200 && (response.body as { ok?: unknown } | undefined)?.ok === true;
  if (!isConch) {
    const todo = 'On AWS it is the address of the output “adminUrl”; on one machine, http://localhost:8787.';
    return ofConch([problem(`What answers at ${url} is not Conch’s administration.`, todo)]);
  }
  const findings = [fine(`It answers at ${url}.`)];
  if (!adminToken) {
    const todo = 'Set CONCH_ADMIN_TOKEN; a run on this machine keeps its own in .conch/local.json.';
    findings.push(problem('There is no admin token here.', todo));
  }
  const { protocol, hostname } = new URL(url);
  if (protocol === 'http:' && !/^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(hostname)) {
    findings.push(problem('The admin token travels over http, where others can read it.', 'Use the https address.'));
  }
  return ofConch(findings);
}

async function tenantChecks({ url, adminToken }: Connection, tenant: string): Promise<Check[]> {
  const headers = { authorization: `Bearer ${adminToken}` };
  const response = await ask(`${url}/v1/tenants/${encodeURIComponent(tenant)}/health`, headers, TIMEOUT_MS);
  const opens = fine('The admin token opens it.');
  switch (response?.status) {
    case 200: {
      const { checks, today } = response.body as Health;
      const named = checks.map((one) => ({
        ...one,
        about: one.about === 'the tenant' ? `tenant ${tenant}` : one.about,
      }));
      const { turns = 0, inputTokens = 0, outputTokens = 0 } = today;
      const use = fine(`Today: ${turns} answers, ${inputTokens + outputTokens} tokens.`);
      return [...ofConch([opens]), ...named, { about: `tenant ${tenant}`, ...use }];
    }
    case 401:
      return ofConch([
        problem(
          'It does not take the admin token.',
          'Set CONCH_ADMIN_TOKEN to the one that it was deployed or started with.',
        ),
      ]);
    case 404: {
      const todo = `Create it: npx conch put tenant ${tenant}. “npx conch tenants” lists those that there are.`;
      return ofConch([opens, problem(`There is no tenant “${tenant}”.`, todo)]);
    }
    case undefined:
      return ofConch([problem('It did not answer in time.', 'Try again; the log says more.')]);
    default: {
      const { detail = '' } = (response?.body ?? {}) as { detail?: string };
      return ofConch([problem(`It answered with ${response?.status}. ${detail}`.trim(), 'The log says more.')]);
    }
  }
}

async function ask(
  url: string,
  headers: Record<string, string>,
  timeoutMs: number,
): Promise<{ status: number; body: unknown } | undefined> {
  try {
    const response = await fetch(url, { headers, signal: AbortSignal.timeout(timeoutMs), redirect: 'manual' });
    return { status: response.status, body: await response.json().catch(() => undefined) };
  } catch {
    return undefined;
  }
}

const MARKS: Record<Finding['status'], string> = { ok: 'ok', note: 'note', problem: 'PROBLEM' };
const WIDTH = 9;

/** One line a check under what it is about, and below it what to do. */
function grouped(checks: readonly Check[]): string {
  const groups = Map.groupBy(checks, ({ about }) => about);
  return [...groups].map(([about, of]) => [about, ...of.flatMap(linesOf)].join('\n')).join('\n\n');
}

function linesOf({ status, what, todo }: Check): string[] {
  const line = `  ${MARKS[status].padEnd(WIDTH)}${what}`;
  return todo === undefined ? [line] : [line, `  ${' '.repeat(WIDTH)}→ ${todo}`];
}

function verdict(checks: readonly Check[]): string {
  const count = checks.filter(isProblem).length;
  if (count === 0) return 'All is well.';
  return count === 1 ? 'One thing is wrong.' : `${count} things are wrong.`;
}
