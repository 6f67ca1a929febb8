import { type Params, refusedMessage } from './discordRules.ts';

/** What the stand-in of Discord keeps and answers. */

/** A call as it came, whether it was taken or not. */
export interface Call {
  method: string;
  path: string;
  body: Params;
  /** The form's file, if it had one. */
  file?: { name: string; text: string };
  at: number;
  /** HTTP status of the answer; 0 if none was given. */
  status: number;
}

export interface Message {
  id: string;
  channel: string;
  content: string;
  /** Shown to one person alone. */
  ephemeral: boolean;
  /** "… is thinking": nothing is shown yet. */
  deferred: boolean;
  buttons: { label: string; value: string }[][];
  /** Every content that it has had, oldest first. */
  history: string[];
  file?: { name: string; text: string };
}

/** An interaction that was delivered. `answered`: by which kind of answer. */
export interface Known {
  id: string;
  token: string;
  channel: string;
  at: number;
  answered?: number;
  original?: string;
  /** Given up: no answer came in time, or none that Discord takes. */
  failed?: true;
}

/** How a call fails. `effect`: whether it takes effect all the same. */
export type Failure =
  | { kind: 'refuse'; status: number; code: number; message: string; retryAfterS?: number }
  | { kind: 'hang' | 'reset'; effect: boolean };

export const tooMany = (retryAfterS: number): Failure => ({
  ...{ kind: 'refuse', status: 429, code: 0, message: 'You are being rate limited.', retryAfterS },
});

/** Thrown for what Discord refuses. */
export class Refusal {
  readonly status: number;
  readonly code: number;
  readonly message: string;
  constructor(status: number, code: number, message: string) {
    this.status = status;
    this.code = code;
    this.message = message;
  }
}

/** Refuses with 50035 if there is a reason. */
export function invalidForm(reason: string | undefined): void {
  if (reason !== undefined) throw new Refusal(400, 50035, `Invalid Form Body: ${reason}`);
}

/** Applies a message's body, as a new content or an edit. */
export function applyBody(message: Message, body: Params, isEdit: boolean): void {
  invalidForm(refusedMessage(body, { edit: isEdit }));
  const { content, components } = body as { content?: string; components?: Params[] };
  if (content !== undefined) {
    message.content = content;
    message.history.push(content);
  }
  if (components) message.buttons = components.map((row) => buttonsOf(row.components as Params[]));
  message.deferred = false;
}

function buttonsOf(components: readonly Params[]): Message['buttons'][number] {
  return components.map(({ label, custom_id: value }) => ({ label: String(label), value: String(value) }));
}

/** The body of a request: JSON, or a form with a file in it. */
export async function bodyOf(type: string, bytes: Buffer): Promise<Pick<Call, 'body' | 'file'>> {
  if (!type.startsWith('multipart/')) return { body: bytes.length > 0 ? (JSON.parse(bytes.toString()) as Params) : {} };
  const form = await new Response(new Uint8Array(bytes), { headers: { 'content-type': type } }).formData();
  const file = form.get('files[0]');
  const body = JSON.parse(String(form.get('payload_json') ?? '{}')) as Params;
  return file instanceof File ? { body, file: { name: file.name, text: await file.text() } } : { body };
}
