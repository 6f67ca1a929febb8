import { expect, test } from 'vitest';
import { type ActionItem, type Actions, REFUSALS_KEPT } from '../../lib/ports/actions.ts';

let counter = 0;

/** An action in a chat of its own unless `more` names one. */
export function actionItem(more: Partial<ActionItem> = {}): ActionItem {
  counter += 1;
  return {
    id: `action-${counter}`,
    tenant: 'tenant',
    channelId: 'tenant.channel',
    chat: `chat-${counter}`,
    place: 'channel~chat',
    person: 'person',
    choices: [{ label: 'Undo ↩️ \ud800', target: { kind: 'undo', clear: 7 }, answers: 'yes' }],
    seq: 1,
    createdAt: 1_000,
    expiresAt: 2_000_000_000_000,
    ...more,
  };
}

/** What every `Actions` does. @param make gives the store; tests use chats of their own. */
export function actionsContract(make: () => Actions): void {
  test('an action comes back as it was put, until it is deleted (SPEC 11.1)', async () => {
    const [actions, item] = [make(), actionItem()];
    expect(await actions.get(item)).toBeUndefined();
    await actions.put(item);
    expect(await actions.get(item)).toEqual(item);
    await actions.put({ ...item, choices: [] });
    expect(await actions.get(item)).toEqual({ ...item, choices: [] });
    await actions.delete(item);
    expect(await actions.get(item)).toBeUndefined();
    await actions.delete(item);
  });

  test('an action is bound to its tenant, channel and chat (SPEC 11.1)', async () => {
    const [actions, item] = [make(), actionItem({ tenant: 'a:b', channelId: 'c', chat: 'd#e' })];
    await actions.put(item);
    expect(await actions.get({ ...item, tenant: 'a' })).toBeUndefined();
    expect(await actions.get({ ...item, tenant: 'a', channelId: 'b:c' })).toBeUndefined();
    expect(await actions.get({ ...item, channelId: 'c#d', chat: 'e' })).toBeUndefined();
    expect(await actions.get({ ...item, chat: 'd' })).toBeUndefined();
    expect(await actions.get(item)).toEqual(item);
  });

  test("a chat's actions are listed oldest first, no other chat's (SPEC 11.3)", async () => {
    const actions = make();
    const chat = { tenant: 'tenant', channelId: 'c', chat: 'listed' };
    const items = [3, 1, 2].map((createdAt) => actionItem({ ...chat, id: `z${9 - createdAt}`, createdAt }));
    for (const item of items) await actions.put(item);
    await actions.put(actionItem({ ...chat, chat: 'listed-2' }));
    expect((await actions.list(chat)).map((item) => item.createdAt)).toEqual([1, 2, 3]);
    expect(await actions.list({ ...chat, chat: 'empty' })).toEqual([]);
  });

  test('a refused press is remembered with the action as it stands, once, and up to a bound (SPEC 2.3)', async () => {
    const [actions, item] = [make(), actionItem()];
    const refused = { update: 'u1', text: 'Not “now” 讀.' };
    await actions.noteRefused(item, refused);
    expect(await actions.get(item)).toBeUndefined();
    await actions.put(item);
    await Promise.all([actions.noteRefused(item, refused), actions.noteRefused(item, refused)]);
    expect(await actions.get(item)).toEqual({ ...item, refused: [refused] });
    expect((await actions.list(item))[0]?.refused).toEqual([refused]);
    await actions.put({ ...item, seq: 2, refused: [refused] });
    for (let n = 0; n < REFUSALS_KEPT + 2; n++) await actions.noteRefused(item, { update: `v${n}`, text: '' });
    const kept = await actions.get(item);
    expect(kept?.refused).toContainEqual(refused);
    expect(kept?.refused).toHaveLength(REFUSALS_KEPT);
    await actions.put({ ...item, closed: true });
    expect(await actions.get(item)).toEqual({ ...item, closed: true });
  });

  test('one past its time is gone or says when it expired, so that the caller can tell (SPEC 11.1)', async () => {
    const [actions, item] = [make(), actionItem({ expiresAt: 1_500 })];
    await actions.put(item);
    const found = await actions.get(item);
    expect(found?.expiresAt ?? 1_500).toBe(1_500);
  });
}
