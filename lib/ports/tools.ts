import type { ToolMarks } from '../domain/toolCalls.ts';
import type { ToolSpec } from './engine.ts';
import type { TenantRecord, ToolCatalog, ToolServerRecord } from './tenants.ts';

/** What a call gave, as the model reads it. */
export interface ToolOutput {
  text: string;
  /** The tool failed; `text` says how. */
  error?: true;
}

/** A tool that a turn may use. */
export interface Tool extends ToolSpec, ToolMarks {
  /** What people see it called. */
  title: string;
  /**
   * Runs it; bounded in time and in the size of what it gives.
   * @returns also what went wrong, in words for the model; it never throws for that.
   * @throws the signal's reason when it is aborted.
   */
  run(input: unknown, signal: AbortSignal): Promise<ToolOutput>;
}

/** The tools of one turn. */
export interface ToolBox {
  tools: readonly Tool[];
  /** Ends connections. Never throws. */
  close(): Promise<void>;
}

/** What a tenant's turns may use: its skills, its tool servers. A server that cannot be reached never throws here. */
export type OpenTools = (tenant: TenantRecord) => Promise<ToolBox>;

/**
 * Asks a tool server what it offers and keeps the answer; a list that is empty, or a server that fails, replaces nothing.
 * The catalog's `fault` says how it went.
 */
export type RefreshTools = (
  tenant: string,
  server: ToolServerRecord,
  signal?: AbortSignal,
) => Promise<{ server: ToolServerRecord; catalog: ToolCatalog }>;
