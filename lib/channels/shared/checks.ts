import type { Channel, FieldFault } from '../../ports/chatApp.ts';
import { type Finding, fine, problem } from '../../ports/health.ts';

/** The command that puts the channel again. @param fields the app's own, as options. */
export function putAgain({ name, tenant, app }: Channel, fields: string): string {
  return `npx conch put channel ${name} --tenant ${tenant} --app ${app} ${fields}`;
}

/** What the app did not take. @param how what to do, unless it may be over the next time. */
export function refused({ reason, passing }: Omit<FieldFault, 'ok' | 'field'>, how: string): Finding {
  return problem(reason, passing ? 'If it stays so, look whether this computer reaches the app’s address.' : how);
}

/** The address that an app calls, which it does by https only. @param appName as people call it. */
export function addressFinding(webhookUrl: string | undefined, appName: string): Finding {
  const how = 'Start Conch with CONCH_PUBLIC_URL=https://… (the address of your tunnel), then put the channel again.';
  if (webhookUrl === undefined) return problem(`Conch has no address that ${appName} could call.`, how);
  const url = URL.parse(webhookUrl);
  if (url?.protocol === 'https:') return fine(`${appName} is to call ${webhookUrl}.`);
  return problem(`Conch’s address is ${url?.origin ?? webhookUrl}, and ${appName} calls https only.`, how);
}

/** The host of an address that somebody else may have set: its path may be a secret. */
export function hostOf(address: string): string {
  return URL.parse(address)?.host ?? 'another address';
}
