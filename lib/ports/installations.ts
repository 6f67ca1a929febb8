/**
 * One channel's app in one workspace (or in all workspaces of one organisation) of the people who use it. Values of
 * `secrets` are sealed for (tenant, `installationOwner`).
 */
export interface InstallationRecord {
  /** The chat app's id of the workspace or the organisation. */
  workspace: string;
  /** Its name, to show. */
  name?: string;
  /** Who the bot is there, as `ChannelRecord.bot`. */
  bot: Record<string, string>;
  secrets: Record<string, string>;
  /** When the token ends, ms; absent if it does not. */
  expiresAt?: number;
  /** Somebody fetches a new token; until then (ms) nobody else does. */
  refreshingUntil?: number;
  /** Why no new token is to be had any more, in words; it has to be installed again. */
  refused?: string;
  /** Names this state of the record: every write has another one. */
  mark: string;
  installedAt: number;
}

/** A channel, as far as its installations go. */
export interface InstallationScope {
  tenant: string;
  channelId: string;
}

/**
 * The workspaces that a channel's app is installed in. Reads are strongly consistent. What adds or removes one raises the
 * tenant's version, so that it counts from the next message.
 */
export interface Installations {
  get(scope: InstallationScope, workspace: string): Promise<InstallationRecord | undefined>;
  /** Puts an installation, in the place of one that was there: a workspace has one. */
  put(scope: InstallationScope, installation: InstallationRecord): Promise<void>;
  /**
   * Puts it if the one with this mark is there still: one conditional write. The version is not raised.
   * @returns false if it is another one by now, or gone.
   */
  replace(scope: InstallationScope, installation: InstallationRecord, expected: string): Promise<boolean>;
  /** Removes it if the one with this mark is there still. @returns false if it is another one by now, or gone. */
  remove(scope: InstallationScope, workspace: string, expected: string): Promise<boolean>;
  list(scope: InstallationScope): AsyncIterable<InstallationRecord>;
  /** Removes all of a channel's, before and after the channel itself is deleted. */
  erase(scope: InstallationScope): Promise<void>;
}

/** The owner of an installation's secrets: a token that lies in another workspace's record does not open. */
export function installationOwner(channelId: string, workspace: string): string {
  return `${channelId}#${workspace}`;
}
