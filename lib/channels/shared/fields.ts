import type { Channel, FieldFault } from '../../ports/chatApp.ts';

/** A field of a channel as an administrator gives it, without blanks around it; '' if it is no text. */
export function fieldText(value: unknown): string {
  return typeof value === 'string' ? value.trim() : '';
}

/** What is wrong with a field. */
export function fieldFault(field: string, reason: string): FieldFault {
  return { ok: false, field, reason };
}

/** Why it cannot be said now whether a field is right: it may be over the next time. */
export function passingFault(field: string, reason: string): FieldFault {
  return { ...fieldFault(field, reason), passing: true };
}

/** The field that is at fault where no answer of the app came: the address, if the channel has its own. */
export function fieldOfAddress({ apiRoot }: Pick<Channel, 'apiRoot'>, credential: string): string {
  return apiRoot === undefined ? credential : 'apiRoot';
}
