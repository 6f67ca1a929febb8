import { type Arguments, allowOptions } from './arguments.ts';
import { ChatClient } from './chatClient.ts';
import { chatInPipe } from './chatPipe.ts';
import { chatInTerminal } from './chatTerminal.ts';
import type { Connection } from './connection.ts';
import { Failure, usage } from './failure.ts';

const DEFAULT_PERSON = 'you';
const DEFAULT_WAIT_S = 300;

/** `conch chat`: at a terminal a conversation, else the input's messages one after the other. */
export async function chat(args: Arguments, connection: Connection): Promise<void> {
  allowOptions(args, ['url', 'person', 'chat', 'wait']);
  if (args.words.length > 1) throw usage('conch chat takes no words; write to it once it runs.');
  if (!connection.chat) {
    throw new Failure(
      `Nothing is known of a chat at ${connection.url}; start Conch here with npm start (with the same CONCH_DATA, if any), or set CONCH_CHAT_CHANNEL and CONCH_CHAT_SECRET.`,
    );
  }
  const person = args.options.person ?? DEFAULT_PERSON;
  const settings = { url: connection.url, ...connection.chat, person, chat: args.options.chat ?? person };
  const client = new ChatClient(settings);
  const { stdin: input, stdout: output } = process;
  if (!input.isTTY || !output.isTTY) return chatInPipe(client, { input, output }, waitMs(args));
  output.write(
    'You are talking to Conch. /help lists the commands; a line that ends with \\ goes on in the next; Ctrl-C leaves.\n\n',
  );
  return chatInTerminal(client, { input, output });
}

function waitMs({ options }: Arguments): number {
  const seconds = Number(options.wait ?? DEFAULT_WAIT_S);
  if (!(seconds > 0)) throw usage('--wait takes a number of seconds.');
  return seconds * 1_000;
}
