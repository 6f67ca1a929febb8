import { anthropicEngine } from '../../lib/providers/anthropic.ts';
import { apiEngineContract } from '../contracts/engine.ts';
import type { FaultCase } from '../contracts/engineFaults.ts';
import { engineToolsContract } from '../contracts/engineTools.ts';

/** Anthropic's shape of an error. */
const body = (type: string, message: string) => ({ type: 'error', error: { type, message }, request_id: 'req_011' });
const invalid = (message: string) => body('invalid_request_error', message);

const faults: FaultCase[] = [
  {
    case: 'an invalid key',
    status: 401,
    body: body('authentication_error', 'invalid x-api-key'),
    fault: 'unauthorized',
  },
  {
    case: 'no credit',
    status: 400,
    body: invalid('Your credit balance is too low to access the Anthropic API. Please go to Plans & Billing.'),
    fault: 'billing',
  },
  { case: 'no such model', status: 404, body: body('not_found_error', 'model: claude-x'), fault: 'unknown-model' },
  {
    case: 'a context too long',
    status: 400,
    body: invalid('prompt is too long: 210000 tokens > 200000 maximum'),
    fault: 'too-long',
  },
  {
    case: 'an answer that would not fit',
    status: 400,
    body: invalid('input length and `max_tokens` exceed context limit: 190000 + 20000 > 200000'),
    fault: 'too-long',
  },
  {
    case: 'a broken history',
    status: 400,
    body: invalid('messages.3: `tool_use` ids were found without `tool_result` blocks immediately after'),
    fault: 'bad-request',
  },
  { case: 'overload', status: 529, body: body('overloaded_error', 'Overloaded'), fault: 'overloaded' },
  {
    case: 'a rate limit',
    status: 429,
    body: body('rate_limit_error', 'This request would exceed the rate limit of your organization'),
    headers: { 'retry-after': '12' },
    fault: 'rate-limited',
    retryAfterMs: 12_000,
  },
];

apiEngineContract({
  protocol: 'anthropic',
  open: anthropicEngine,
  faults,
  overloadedEvent: body('overloaded_error', 'Overloaded'),
});
engineToolsContract('anthropic', 'claude-sonnet-5-5', anthropicEngine);
