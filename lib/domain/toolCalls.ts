import * as z from 'zod/mini';
import type { Mode } from './values.ts';

/** A tool that a model wants to use, in one step of a turn; `id` is the provider's own, `input` is JSON. */
export const toolCallSchema = z.looseObject({
  id: z.string().check(z.minLength(1)),
  name: z.string().check(z.minLength(1)),
  input: z.unknown(),
});
export type ToolCall = z.infer<typeof toolCallSchema>;

/** What a call came to, as the model reads it. */
export const toolResultSchema = z.looseObject({
  id: z.string().check(z.minLength(1)),
  name: z.string().check(z.minLength(1)),
  output: z.string(),
  /** It failed, or was not run. */
  error: z.optional(z.literal(true)),
});
export type ToolResult = z.infer<typeof toolResultSchema>;

/** A call that waits for the person's approval: which tool, by the name that people see and the one of its grant. */
export const askedCallSchema = z.looseObject({
  id: z.string(),
  title: z.string(),
  grant: z.string(),
  input: z.string(),
});
export type AskedCall = z.infer<typeof askedCallSchema>;

/** The tool with which a model asks to leave plan mode (SPEC 7.1). */
export const EXIT_PLAN_MODE = 'exit_plan_mode';
/** The tool with which a model loads a skill (SPEC 10.4). */
export const LOAD_SKILL = 'load_skill';

/** The kinds of question that suspend a turn (SPEC 7.2, 7.5). */
export const QUESTION_KINDS = ['ExitPlanMode', 'ToolApproval'] as const;
export type QuestionKind = (typeof QUESTION_KINDS)[number];

/** `start`, `keep`: of a plan. `allow`, `allow-chat`, `deny`: of tools; Plan first is a message and no answer. */
export type Answer = 'start' | 'keep' | 'allow' | 'allow-chat' | 'deny';

/** What a tool's server says that the tool does. */
export interface ToolMarks {
  readOnly: boolean;
  /** Absent: the server does not say. */
  destructive?: boolean;
  /** What Allow in this chat allows. */
  grant: string;
}

/** Whether a call has to be approved first in this mode (SPEC 7.5). In plan mode only what reads is offered at all. */
export function needsApproval(mode: Mode, { readOnly, destructive, grant }: ToolMarks, grants: readonly string[]) {
  if (readOnly || mode === 'trust' || grants.includes(grant)) return false;
  if (mode === 'auto') return destructive === true;
  return mode !== 'edit' || destructive !== false;
}
