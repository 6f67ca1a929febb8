import { isUtf8 } from 'node:buffer';
import { jsonIn } from '../../domain/json.ts';

export { asObject } from '../../domain/json.ts';

const BYTE_ORDER_MARK = '\ufeff';

/** The JSON value in a body's bytes; undefined if they are no UTF-8 or no JSON. */
export function jsonOf(body: Uint8Array): unknown {
  if (!isUtf8(body)) return undefined;
  const text = Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString();
  return jsonIn(text.startsWith(BYTE_ORDER_MARK) ? text.slice(1) : text);
}
