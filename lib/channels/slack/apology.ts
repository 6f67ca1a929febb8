import { formOf, isEvent } from './delivery.ts';

const NOT_SURE = 'Not sure I got this. If nothing comes within a minute, send it again.';

/** For a command, which Slack delivers only once; what is answered to it is shown to the person. */
export function apology(body: Uint8Array): { response_type: string; text: string } | undefined {
  const isCommand = !isEvent(body) && formOf(body).has('command');
  return isCommand ? { response_type: 'ephemeral', text: NOT_SURE } : undefined;
}
