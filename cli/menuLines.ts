/** What became of one channel's menu, as the API tells it. */
export interface MenuReport {
  channel: string;
  published: boolean;
  reason?: string;
  leftOut?: { name: string; reason: string }[];
}

const SHOWN = 5;

/** What is to be said of the channels' menus; nothing if all went well. */
export function menuLines(menus: readonly MenuReport[]): string[] {
  return menus.flatMap(({ channel, published, reason, leftOut = [] }) => {
    if (!published) return [`The menu of the channel ${channel} was not published: ${reason}`];
    if (leftOut.length === 0) return [];
    const some = leftOut.slice(0, SHOWN).map(({ name }) => name);
    const more = leftOut.length > SHOWN ? ` and ${leftOut.length - SHOWN} more` : '';
    const why = [...new Set(leftOut.map((one) => one.reason))].join(' ');
    return [`Not in the menu of the channel ${channel}, but working when typed: ${some.join(', ')}${more}. ${why}`];
  });
}
