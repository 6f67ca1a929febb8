import type { Piece } from '../../ports/chatApp.ts';

/**
 * Makes the call with a piece's body, and once more with its words alone if the app refuses the form (SPEC 13.1). A
 * refusal is no message, so nothing is sent twice.
 */
export async function formTried<Outcome>(
  { body, plain }: Piece,
  call: (body: Record<string, unknown>) => Promise<Outcome>,
  isFormRefused: (outcome: Outcome) => boolean,
): Promise<Outcome> {
  const outcome = await call(body);
  if (!isFormRefused(outcome) || JSON.stringify(plain) === JSON.stringify(body)) return outcome;
  return call(plain);
}
