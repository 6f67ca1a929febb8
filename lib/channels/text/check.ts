import type { ChatApp } from '../../ports/chatApp.ts';
import { fine, problem } from '../../ports/health.ts';
import { hostOf } from '../shared/checks.ts';
import { request } from '../shared/http.ts';

const TIMEOUT_MS = 10_000;

/** Whether somebody listens where replies are posted. Nothing is posted: whatever answers will do. */
export const check: ChatApp['check'] = async ({ settings }) => {
  const { callbackUrl } = settings;
  const secret = fine('It has a secret that signs both ways.');
  if (callbackUrl === undefined) return [secret, fine('Its client fetches replies by itself.')];
  const asked = await request(callbackUrl, { method: 'HEAD', headers: {}, signal: AbortSignal.timeout(TIMEOUT_MS) });
  if (asked.kind === 'answer') return [secret, fine(`${hostOf(callbackUrl)}, where replies go, answers.`)];
  const what = `Nobody answers at ${hostOf(callbackUrl)}, where replies go (${asked.reason}).`;
  return [secret, problem(what, 'Start what listens there, or put the channel again with another --callback-url.')];
};
