import { createInterface } from 'node:readline';
import { setTimeout as wait } from 'node:timers/promises';
import type { Chat } from './chatClient.ts';
import { Failure } from './failure.ts';
import { MessageLines } from './lines.ts';
import { plainText } from './show.ts';

const POLL_MS = 150;
/** A reply may have a second part, such as a question behind a plan. */
const SETTLE_MS = 300;

/**
 * A chat between pipes: sends the input line by line, waits for each answer and prints it.
 * @param waitMs the longest wait for one answer.
 */
export async function chatInPipe(
  client: Chat,
  streams: { input: NodeJS.ReadableStream; output: NodeJS.WritableStream },
  waitMs: number,
): Promise<void> {
  const lines = new MessageLines();
  let seen = await client.newest();
  const exchange = async (message: string | undefined) => {
    if (message !== undefined) seen = await answered(client, message, { seen, waitMs, output: streams.output });
  };
  for await (const line of createInterface({ input: streams.input })) await exchange(lines.add(line));
  await exchange(lines.end());
}

/** Sends a message and prints what comes. Gives the number of the newest reply. */
async function answered(
  client: Chat,
  message: string,
  { seen, waitMs, output }: { seen: number; waitMs: number; output: NodeJS.WritableStream },
): Promise<number> {
  await client.send(message);
  const until = Date.now() + waitMs;
  let newest = seen;
  for (let quiet = false; !quiet; ) {
    const replies = await client.replies(newest);
    for (const { text } of replies) output.write(`${plainText(text)}\n`);
    quiet = replies.length === 0 && newest > seen;
    newest = replies.at(-1)?.seq ?? newest;
    if (newest === seen && Date.now() > until)
      throw new Failure('No answer came in time. `npx conch doctor` may say why.');
    if (!quiet) await wait(newest > seen ? SETTLE_MS : POLL_MS);
  }
  return newest;
}
