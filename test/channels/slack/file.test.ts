import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { SlackAddress } from '../../../lib/channels/slack/address.ts';
import { slack } from '../../../lib/channels/slack/index.ts';
import type { Sender } from '../../../lib/ports/chatApp.ts';
import { ANA, BEN, directChannel, GENERAL, SlackStandIn } from '../../standins/slack.ts';
import { at } from './channel.ts';

const THREAD = '1789999999.000100';
const DIRECT: SlackAddress = { chat: ANA, channel: directChannel(ANA), message: '1790000000.000100' };
const IN_THREAD: SlackAddress = { chat: GENERAL, thread: THREAD, message: '1790000000.000200', group: true };
const OPTIONS = { timeoutMs: 5_000 };

let standIn: SlackStandIn;
let sender: Sender;
beforeEach(async () => {
  standIn = await SlackStandIn.start();
  sender = slack.sender(at(standIn));
});
afterEach(() => standIn.close());

const methods = () => standIn.calls.map(({ method }) => method);

describe('files and typing', () => {
  const file = { name: 'chat.md', mimeType: 'text/markdown', bytes: new TextEncoder().encode('# Hi 🎉') };

  test('a file goes to the thread in three calls', async () => {
    expect(await sender.file(IN_THREAD, file, OPTIONS)).toMatchObject({ kind: 'sent' });
    expect(standIn.files).toMatchObject([{ channel: GENERAL, thread: THREAD, name: 'chat.md' }]);
    expect(new TextDecoder().decode(standIn.files[0]?.bytes)).toBe('# Hi 🎉');
  });

  test('a file for a private chat that is known by the person alone', async () => {
    expect(await sender.file({ chat: BEN }, file, OPTIONS)).toMatchObject({ kind: 'sent' });
    expect(standIn.files).toMatchObject([{ channel: directChannel(BEN) }]);
  });

  test.each([
    ['files.getUploadURLExternal', 'refused'],
    ['upload', 'refused'],
    ['files.completeUploadExternal', 'unknown'],
  ])('a file that got stuck at %s: %s, since nobody saw it before the last call', async (method, kind) => {
    standIn.fail({ kind: 'hang', effect: false }, { method });
    expect(await sender.file(IN_THREAD, file, { timeoutMs: 300 })).toMatchObject({ kind });
  });

  test('typing shows in a thread; elsewhere Slack has no sign, and a failure does not matter (SPEC 13.3)', async () => {
    await sender.typing(IN_THREAD);
    await sender.typing(DIRECT);
    standIn.fail({ kind: 'error', error: 'missing_scope' });
    await sender.typing(IN_THREAD);
    expect(methods()).toEqual(['assistant.threads.setStatus', 'assistant.threads.setStatus']);
  });
});
