import { PassThrough } from 'node:stream';
import { describe, expect, test } from 'vitest';
import type { Chat } from '../../cli/chatClient.ts';
import { chatInTerminal } from '../../cli/chatTerminal.ts';
import { type Failure, notRunning } from '../../cli/failure.ts';

/** A chat in memory. The first message takes longest to send. */
function memoryChat(replies: string[] = []) {
  const sent: string[] = [];
  let calls = 0;
  let isDown = false;
  const chat: Chat = {
    async send(text) {
      await new Promise((resolve) => setTimeout(resolve, calls++ === 0 ? 50 : 0));
      if (isDown) throw notRunning('http://x');
      sent.push(text);
      replies.push(`Answer to ${text}`);
    },
    async replies(after) {
      if (isDown) throw notRunning('http://x');
      return replies.slice(after).map((text, n) => ({ seq: after + n + 1, id: `r${n}`, text, at: 0 }));
    },
    newest: async () => replies.length,
  };
  const stop = () => {
    isDown = true;
  };
  return { chat, sent, stop };
}

/** A chat at a terminal that is typed into. */
function terminal(chat: Chat) {
  const input = new PassThrough();
  const output = Object.assign(new PassThrough(), { isTTY: true, columns: 80, rows: 24 });
  let screen = '';
  output.on('data', (chunk) => {
    screen += chunk;
  });
  const done = chatInTerminal(chat, { input, output }).then(
    () => 'left',
    (error: Failure) => error.message,
  );
  const see = (text: string) => expect.poll(() => screen, { timeout: 5_000 }).toContain(text);
  return { type: (text: string) => input.write(text), see, shown: () => screen, done };
}

describe('DESIGN 6: conch chat at a terminal', () => {
  test('what is typed is sent in order, answers appear, Ctrl-C leaves', async () => {
    const { chat, sent } = memoryChat();
    const { type, see, done } = terminal(chat);
    await see('> ');
    type('one\r/two\rthree\\\r');
    await see('. ');
    type('four\r');
    await see('… ');
    await see('Answer to three\nfour');
    expect(sent).toEqual(['one', '/two', 'three\nfour']);
    type('half a line\x03');
    expect(await done).toBe('left');
    expect(sent).toHaveLength(3);
  });

  test('replies from before are not shown, ones that nobody asked for are', async () => {
    const replies = ['old'];
    const { type, see, shown, done } = terminal(memoryChat(replies).chat);
    await see('> ');
    replies.push('news');
    await see('news');
    expect(shown()).not.toContain('old');
    type('\x04');
    expect(await done).toBe('left');
  });

  test('a server that goes away ends it with one sentence', async () => {
    const { chat, stop } = memoryChat();
    const { type, see, done } = terminal(chat);
    await see('> ');
    stop();
    type('hello\r');
    expect(await done).toBe('Conch is not running at http://x; start it with npm start.');
  });
});
