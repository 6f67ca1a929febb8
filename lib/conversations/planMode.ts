import type { EventData, Mode } from '../domain/events.ts';
import { EXIT_PLAN_MODE } from '../domain/toolCalls.ts';
import type { ToolSpec } from '../ports/engine.ts';

/** The tool with which a model asks the person to start its plan (SPEC 7.1). */
export const EXIT_PLAN_TOOL: ToolSpec = {
  name: EXIT_PLAN_MODE,
  description:
    'Shows your finished plan to the person, who then starts it or asks for changes. Call it once the plan is complete; not for questions.',
  inputSchema: {
    type: 'object',
    properties: { plan: { type: 'string', description: 'The whole plan, Markdown, as the person will read it.' } },
    required: ['plan'],
    additionalProperties: false,
  },
};

/** What a mode allows, as a model is told it. */
const ALLOWED: Record<Mode, string> = {
  plan: 'Still only plan.',
  ask: 'Tools that change something ask the person first.',
  edit: 'Tools that destroy nothing run without asking; others ask the person first.',
  auto: 'Tools run without asking, but for those that destroy something.',
  trust: 'All tools run without asking.',
};

/** The call's result once the person has answered (SPEC 7.3). */
export function planAnswer({ answer, mode }: Pick<EventData<'question.answered'>, 'answer' | 'mode'>): string {
  if (answer !== 'start') return 'The person wants to keep planning. Wait for what they say, then change the plan.';
  return `The person pressed Start: plan mode is over. Carry the plan out now. ${ALLOWED[mode ?? 'ask']}`;
}

/** The call's result where the question was closed in another way (SPEC 7.2). */
export const PLAN_LEFT =
  'The person did not start this plan. What they say next, if anything, is what to change; plan again.';

/** The call's result where there was nothing to show. */
export const PLAN_EMPTY = 'The plan was empty, so nothing was shown. Call it again with the whole plan.';
