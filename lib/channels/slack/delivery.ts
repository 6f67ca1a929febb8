const OPENING_BRACE = 0x7b;

/** Whether a body is an event, which is JSON. Commands and presses are forms. */
export function isEvent(body: Uint8Array): boolean {
  return body[0] === OPENING_BRACE;
}

/** The fields of a form. */
export function formOf(body: Uint8Array): URLSearchParams {
  return new URLSearchParams(Buffer.from(body).toString());
}
