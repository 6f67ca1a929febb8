import { jsonOf } from '../shared/json.ts';
import { shaped } from '../shared/shape.ts';
import { formOf, isEvent } from './delivery.ts';
import { envelopeShape, originShape, type SlackEnvelope } from './payload.ts';

/** A workspace or an organisation. */
const ID = /^[TE][A-Z0-9]{1,40}$/;
/** Events that come when the installation is over. */
const WITHOUT = new Set(['app_uninstalled', 'tokens_revoked']);

/**
 * Ids of the workspace that a request comes from and of its organisation, which may have installed the app for all its
 * workspaces; undefined for a request of no workspace, or about an installation that is over.
 */
export function originOf(body: Uint8Array): readonly string[] | undefined {
  if (isEvent(body)) return ofEvent(jsonOf(body));
  const form = formOf(body);
  const payload = form.get('payload');
  return ofForm(payload === null ? Object.fromEntries(form) : jsonOf(Buffer.from(payload)));
}

/** The same of an event, whatever it is about. */
export function workspacesOf(envelope: SlackEnvelope): readonly string[] {
  const [authorization] = envelope.authorizations ?? [];
  return idsOf(teamOf(envelope), authorization?.enterprise_id ?? envelope.enterprise_id);
}

/** The workspace that an event is for. */
export function teamOf({ authorizations, team_id: team }: SlackEnvelope): string | undefined {
  return authorizations?.[0]?.team_id ?? team;
}

function idsOf(...ids: (string | null | undefined)[]): readonly string[] {
  return ids.filter((id) => id !== undefined && id !== null && ID.test(id)) as string[];
}

function ofEvent(json: unknown): readonly string[] | undefined {
  const envelope = shaped(envelopeShape, json);
  if (!envelope.ok || envelope.value.type !== 'event_callback') return undefined;
  return WITHOUT.has(envelope.value.event?.type ?? '') ? undefined : workspacesOf(envelope.value);
}

function ofForm(fields: unknown): readonly string[] | undefined {
  const origin = shaped(originShape, fields);
  if (!origin.ok) return undefined;
  const { team_id: teamId, enterprise_id: enterpriseId, team, enterprise } = origin.value;
  const ids = idsOf(teamId ?? team?.id, enterpriseId ?? enterprise?.id);
  return ids.length > 0 ? ids : undefined;
}
