import type { ProviderFault } from '../../lib/ports/engine.ts';

/** A failure as the provider sends it. */
export interface FaultCase {
  case: string;
  status: number;
  body: unknown;
  headers?: Record<string, string>;
  fault: ProviderFault;
  retryAfterMs?: number;
}

/** Failures that say nothing but their status: the same for every provider. */
export const FAULTS_BY_STATUS: FaultCase[] = [
  { case: 'a wrong key', status: 401, body: {}, fault: 'unauthorized' },
  { case: 'a key without the right', status: 403, body: {}, fault: 'unauthorized' },
  { case: 'no credit', status: 402, body: {}, fault: 'billing' },
  { case: 'no such model', status: 404, body: {}, fault: 'unknown-model' },
  { case: 'a body too large', status: 413, body: {}, fault: 'too-long' },
  { case: 'too many requests', status: 429, body: {}, fault: 'rate-limited' },
  { case: 'a time-out of the provider', status: 408, body: {}, fault: 'failing' },
  { case: 'a crash', status: 500, body: '<html>Oops</html>', fault: 'failing' },
  { case: 'a gateway without a server', status: 502, body: '<html>Bad gateway</html>', fault: 'failing' },
  { case: 'overload', status: 529, body: {}, fault: 'overloaded' },
  { case: 'a history that it does not take', status: 400, body: {}, fault: 'bad-request' },
  {
    case: 'a wait in seconds',
    status: 429,
    body: {},
    headers: { 'retry-after': '7' },
    fault: 'rate-limited',
    retryAfterMs: 7_000,
  },
  {
    case: 'a wait in milliseconds',
    status: 503,
    body: {},
    headers: { 'retry-after-ms': '1250', 'retry-after': '2' },
    fault: 'overloaded',
    retryAfterMs: 1_250,
  },
  {
    case: 'a wait in parts of a second',
    status: 429,
    body: {},
    headers: { 'retry-after': '0.4' },
    fault: 'rate-limited',
    retryAfterMs: 400,
  },
  {
    case: 'a wait that is none',
    status: 429,
    body: {},
    headers: { 'retry-after': 'soon', 'retry-after-ms': 'later' },
    fault: 'rate-limited',
  },
  {
    case: 'a wait until a time that has passed',
    status: 503,
    body: {},
    headers: { 'retry-after': 'Wed, 21 Oct 2015 07:28:00 GMT' },
    fault: 'overloaded',
    retryAfterMs: 0,
  },
];
