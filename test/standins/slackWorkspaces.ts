import { Refusal, refuse } from './slackParts.ts';
import { APP, BOT, TEAM } from './slackPayloads.ts';
import type { Params } from './slackRules.ts';

/** What one app in many workspaces is to Slack: its installations, their tokens, and OAuth. */

const CODE_USES = 1;
/** Of one installation (https://docs.slack.dev/authentication/using-token-rotation). */
const LIVE_TOKENS = 2;

interface Workspace {
  name: string;
  installed: boolean;
  /** Live tokens, oldest first. */
  tokens: string[];
  /** Refresh tokens, and how often each was used. */
  refresh: Map<string, number>;
}

interface Code {
  team: string;
  redirectUrl: string;
  uses: number;
}

export class SlackWorkspaces {
  readonly clientId = '111.222';
  readonly clientSecret = 'conch0test0client0secret00000001';
  /** What an app has allowed as a way back; anything until it is set. */
  redirectUrls: string[] | undefined;
  /** Seconds that a token lives; undefined: it does not end. */
  tokenLifeS: number | undefined;
  /** How often a refresh token is taken: more than once within its grace. */
  refreshUses = 1;
  /** How often it was asked for a new token, taken or not. */
  refreshes = 0;
  readonly #workspaces = new Map<string, Workspace>();
  readonly #codes = new Map<string, Code>();
  #next = 1;

  /** An organisation's id is one as well. */
  add(team: string, name: string): void {
    this.#workspaces.set(team, { name, installed: false, tokens: [], refresh: new Map() });
  }

  /**
   * What a person does on Slack's page: allows the app in a workspace.
   * @param page the address that the app led to. @returns where Slack leads back to.
   */
  allow(page: string, team: string): string {
    const asked = new URL(page).searchParams;
    const redirectUrl = asked.get('redirect_uri') ?? '';
    if (asked.get('client_id') !== this.clientId) throw new Error('Slack knows no such app');
    if (this.redirectUrls && !this.redirectUrls.includes(redirectUrl)) throw new Error('bad_redirect_uri');
    if (!asked.get('scope')?.split(',').includes('chat:write')) throw new Error('No scopes were asked for');
    const code = `code-${this.#next++}`;
    this.#codes.set(code, { team, redirectUrl, uses: 0 });
    const back = new URL(redirectUrl);
    back.searchParams.set('code', code);
    back.searchParams.set('state', asked.get('state') ?? '');
    return back.href;
  }

  /** The app was removed: its tokens are over. */
  uninstall(team: string): void {
    const workspace = this.#of(team);
    Object.assign(workspace, { installed: false, tokens: [] });
    workspace.refresh.clear();
  }

  /** The workspace whose live token this is. */
  teamOf(token: string): string {
    const found = [...this.#workspaces].find(([, { tokens }]) => tokens.includes(token))?.[0];
    if (found === undefined) throw new Refusal(this.given.includes(token) ? 'token_revoked' : 'invalid_auth');
    return found;
  }

  /** All tokens that were ever given. */
  readonly given: string[] = [];

  /** `auth.test` */
  identity(team: string): Params {
    const own = team === TEAM ? { team: 'Acme', user_id: BOT } : { team: this.#of(team).name, user_id: botOf(team) };
    const app = { bot_id: 'B0CONCH01', app_id: APP, is_enterprise_install: false };
    return { url: 'https://acme.slack.com/', user: 'conch', team_id: team, ...own, ...app };
  }

  /** `oauth.v2.access` */
  access(params: Params): Params {
    refuse(params.client_id === this.clientId ? undefined : 'invalid_client_id');
    refuse(params.client_secret === this.clientSecret ? undefined : 'bad_client_secret');
    if (params.grant_type === 'refresh_token') return this.#refresh(String(params.refresh_token));
    const code = this.#codes.get(String(params.code));
    if (!code || code.uses >= CODE_USES) throw new Refusal('invalid_code');
    code.uses += 1;
    refuse(params.redirect_uri === code.redirectUrl ? undefined : 'bad_redirect_uri');
    this.#of(code.team).installed = true;
    return this.#grant(code.team);
  }

  #refresh(token: string): Params {
    this.refreshes += 1;
    const [team, workspace] = [...this.#workspaces].find(([, { refresh }]) => refresh.has(token)) ?? [];
    const uses = workspace?.refresh.get(token) ?? 0;
    if (!team || !workspace || uses >= this.refreshUses) throw new Refusal('invalid_refresh_token');
    workspace.refresh.set(token, uses + 1);
    return this.#grant(team);
  }

  #grant(team: string): Params {
    const workspace = this.#of(team);
    const isOrganisation = team.startsWith('E');
    const id = this.#next++;
    const token = this.tokenLifeS === undefined ? `xoxb-${team}-made-up-${id}` : `xoxe.xoxb-${team}-made-up-${id}`;
    workspace.tokens = [...workspace.tokens, token].slice(-LIVE_TOKENS);
    this.given.push(token);
    const rotation: Params = {};
    if (this.tokenLifeS !== undefined) {
      const refresh = `xoxe-1-${team}-made-up-${id}`;
      workspace.refresh.set(refresh, 0);
      this.given.push(refresh);
      Object.assign(rotation, { refresh_token: refresh, expires_in: this.tokenLifeS });
    }
    const named = { id: team, name: workspace.name };
    return {
      ...{ access_token: token, token_type: 'bot', scope: 'chat:write', bot_user_id: botOf(team), app_id: APP },
      ...{ team: isOrganisation ? null : named, enterprise: isOrganisation ? named : null },
      ...{ is_enterprise_install: isOrganisation, authed_user: { id: 'U0INSTALL' }, ...rotation },
    };
  }

  #of(team: string): Workspace {
    const found = this.#workspaces.get(team);
    if (!found) throw new Error(`There is no workspace ${team}`);
    return found;
  }
}

/** The bot has another id in each workspace. */
export function botOf(team: string): string {
  return `${BOT}${team.slice(-1)}`;
}
