import { eventOf } from '../domain/events.ts';
import type { ToolCall } from '../domain/toolCalls.ts';
import { type Answering, stepsOf } from './answering.ts';

type Asking = Pick<Answering, 'history' | 'holder'>;

/**
 * Whether the person was asked about this call, with a tool of this grant, since the step that made it: what they allow
 * is what they were shown (SPEC 7.5).
 */
export function isApproved({ history, holder }: Asking, { id }: ToolCall, grant: string): boolean {
  const step = stepsOf({ history, holder }).at(-1)?.seq ?? 0;
  return history.some((event) => {
    const asked = event.seq > step ? eventOf(event, 'question.asked')?.data : undefined;
    return asked?.turn === holder.claim.turn && asked.calls?.some((call) => call.id === id && call.grant === grant);
  });
}

/** Whether the person pressed Start since the newest step, whatever they were asked after it (SPEC 7.3). */
export function planStarted({ history, holder }: Asking): boolean {
  const step = stepsOf({ history, holder }).at(-1)?.seq ?? 0;
  return history.some((event) => {
    const answered = event.seq > step ? eventOf(event, 'question.answered')?.data : undefined;
    return answered?.turn === holder.claim.turn && answered.answer === 'start';
  });
}
