import { discord } from '../../lib/channels/discord/index.ts';
import { slack } from '../../lib/channels/slack/index.ts';
import { teams } from '../../lib/channels/teams/index.ts';
import { telegram } from '../../lib/channels/telegram/index.ts';
import { createText } from '../../lib/channels/text/index.ts';
import { signatureHeaders } from '../../lib/channels/text/verify.ts';
import type { Channel, ChatApp } from '../../lib/ports/chatApp.ts';
import type { AppName } from '../../lib/ports/tenants.ts';
import { channel as discordChannel } from '../channels/discord/channel.ts';
import { channel as slackChannel, installed as slackInstalled } from '../channels/slack/channel.ts';
import { at as teamsChannelAt } from '../channels/teams/channel.ts';
import { SECRET as TELEGRAM_SECRET, channel as telegramChannel } from '../channels/telegram/channel.ts';
import { MemoryReplies, SECRET as TEXT_SECRET, channel as textChannel } from '../channels/text/channel.ts';
import * as discordApp from '../standins/discord.ts';
import * as slackApp from '../standins/slack.ts';
import * as teamsApp from '../standins/teams.ts';
import * as telegramApp from '../standins/telegram.ts';

/**
 * One person's private chat with the bot in each app: how they write, give a command and pick a choice there, and what they
 * see. Deliveries go by HTTP, as the app's own do.
 */
export interface AppChat {
  app: ChatApp;
  channel: Channel;
  /** As the channel is in the workspace that the person writes in, of an app in many. */
  installed?: Channel;
  /** Where the webhook is, before anything is delivered. */
  connect(webhookUrl: string): void;
  say(text: string): Promise<void>;
  command(name: string, args?: string): Promise<void>;
  /** Picks the choice with this label, which is shown. */
  pick(label: string): Promise<void>;
  /** How these are written or picked there. */
  written: {
    message: (text: string) => string;
    command: (name: string, args?: string) => string;
    pick: (label: string) => string;
  };
  /** The bot's messages as they are now, oldest first. */
  seen(): Promise<Seen[]>;
  close(): Promise<void>;
}

/** A message of the bot, as the person sees it. */
export interface Seen {
  id: string;
  text: string;
  /** It was shown first with this text, and grew. */
  first?: string | undefined;
  buttons: string[];
}

const SLASHED = {
  message: (text: string) => text,
  command: (name: string, args?: string) => words(`/${name}`, args),
  pick: (label: string) => `presses [${label}]`,
};

async function posted(url: string, body: string, headers: Record<string, string>): Promise<void> {
  const response = await fetch(url, { method: 'POST', body, headers });
  if (response.status !== 200) throw new Error(`The webhook answered ${response.status}`);
  await response.arrayBuffer();
}

async function telegramChat(): Promise<AppChat> {
  const standIn = await telegramApp.TelegramStandIn.start();
  const updates = new telegramApp.Updates();
  const ana = telegramApp.person(111, 'Ana');
  let url = '';
  const deliver = async (update: telegramApp.Update) => {
    const status = await standIn.deliver(update, { url, secret: TELEGRAM_SECRET });
    if (status !== 200) throw new Error(`The webhook answered ${status}`);
  };
  return {
    app: telegram,
    channel: {
      ...telegramChannel,
      apiRoot: standIn.root,
      secrets: { ...telegramChannel.secrets, token: standIn.token },
    },
    connect: (webhookUrl) => {
      url = webhookUrl;
    },
    say: (text) => deliver(updates.privateMessage(text, ana)),
    command: (name, args) => deliver(updates.privateMessage(words(`/${name}`, args), ana)),
    async pick(label) {
      const message = standIn
        .messages(111)
        .findLast(({ buttons }) => buttons.flat().some(({ text }) => text === label));
      const button = message?.buttons.flat().find(({ text }) => text === label);
      if (!message || !button) throw new Error(`There is no button ${label}`);
      await deliver(updates.press(button.data, ana, standIn.asSent(message)));
    },
    written: SLASHED,
    seen: async () =>
      standIn.messages(111).map(({ id, text, history, buttons }) => ({
        ...{ id: String(id), text, first: history[0], buttons: buttons.flat().map((one) => one.text) },
      })),
    close: () => standIn.close(),
  };
}

async function discordChat(): Promise<AppChat> {
  const standIn = await discordApp.DiscordStandIn.start();
  const ana = discordApp.somebody('ana');
  const direct = { channel: standIn.direct(ana.id) };
  const deliver = async (interaction: Record<string, unknown>) => {
    const { status } = await standIn.deliver(interaction);
    if (status !== 200) throw new Error(`The webhook answered ${status}`);
  };
  const { publicKey } = standIn.signer;
  return {
    app: discord,
    channel: {
      ...{ ...discordChannel, apiRoot: standIn.root, secrets: { botToken: standIn.botToken } },
      settings: { ...discordChannel.settings, publicKey },
    },
    connect: (webhookUrl) => {
      standIn.webhook = webhookUrl;
    },
    say: (text) => deliver(discordApp.command('ask', ana, direct, text)),
    command: (name, args) => deliver(discordApp.command(name, ana, direct, args)),
    async pick(label) {
      const message = standIn.messages.findLast(({ buttons }) => buttons.flat().some((one) => one.label === label));
      const button = message?.buttons.flat().find((one) => one.label === label);
      if (!message || !button) throw new Error(`There is no button ${label}`);
      await deliver(discordApp.press(button.value, ana, direct, standIn.asSent(message)));
    },
    written: { ...SLASHED, message: (text) => `/ask ${text}` },
    seen: async () =>
      standIn.messages
        .filter(({ channel, deferred }) => channel === direct.channel && !deferred)
        .map(({ id, content, history, buttons }) => ({
          ...{ id, text: discordApp.shownText(content), first: history[0] },
          buttons: buttons.flat().map(({ label }) => label),
        })),
    close: () => standIn.close(),
  };
}

async function slackChat(many = false): Promise<AppChat> {
  const standIn = await slackApp.SlackStandIn.start();
  const direct = slackApp.directChannel(slackApp.ANA);
  standIn.addChannel(direct, [slackApp.BOT, slackApp.ANA]);
  const deliver = async (payload: Record<string, unknown>) => {
    const { status } = await standIn.deliver(payload);
    if (status !== 200) throw new Error(`The webhook answered ${status}`);
  };
  const at = (channel: Channel): Channel => ({
    ...{ ...channel, apiRoot: standIn.root },
    secrets: { ...channel.secrets, botToken: standIn.botToken },
  });
  const { workspace: _none, bot: _nobody, ...base } = at(slackInstalled);
  return {
    app: slack,
    ...(many ? { channel: base, installed: at(slackInstalled) } : { channel: at(slackChannel) }),
    connect: (webhookUrl) => {
      standIn.webhook = webhookUrl;
    },
    say: (text) => deliver(standIn.payloads.direct(text, slackApp.ANA)),
    command: (name, args) => deliver(standIn.command(words(name, args), slackApp.ANA, direct)),
    async pick(label) {
      const has = ({ blocks }: slackApp.Message) => slackApp.buttonsOf({ blocks }).some(({ text }) => text === label);
      const message = standIn.messages.findLast(has);
      if (!message) throw new Error(`There is no button ${label}`);
      await deliver(standIn.press(message, label, slackApp.ANA));
    },
    written: { ...SLASHED, command: (name, args) => words(`/conch ${name}`, args) },
    seen: async () =>
      standIn.messages
        .filter(({ channel }) => channel === direct)
        .map((one) => ({
          ...{ id: one.ts, text: slackApp.shownOf(one), first: one.history[0] },
          buttons: slackApp.buttonsOf({ blocks: one.blocks }).map(({ text }) => text),
        })),
    close: () => standIn.close(),
  };
}

async function teamsChat(): Promise<AppChat> {
  const standIn = await teamsApp.TeamsStandIn.start();
  const ana = '29:ana';
  const conversation = teamsApp.direct(ana);
  const deliver = async (activity: Record<string, unknown>) => {
    const { status } = await standIn.deliver(activity);
    if (status >= 300) throw new Error(`The webhook answered ${status}`);
  };
  const say = (text: string) => deliver(standIn.payloads.direct(text, ana));
  const labels = (message: teamsApp.Message) => teamsApp.buttonsOf(message.activity).map(({ title }) => title);
  return {
    app: teams,
    channel: teamsChannelAt(standIn),
    connect: (webhookUrl) => {
      standIn.webhook = webhookUrl;
    },
    say,
    command: (name, args) => say(words(`/${name}`, args)),
    async pick(label) {
      const message = standIn.messages.findLast((one) => labels(one).includes(label));
      if (!message) throw new Error(`There is no button ${label}`);
      await standIn.press(message, label, ana);
    },
    written: SLASHED,
    seen: async () =>
      standIn.messages
        .filter((one) => one.conversation === conversation)
        .map((one) => ({
          ...{ id: one.id, text: teamsApp.shownOf(one), first: one.history[0], buttons: labels(one) },
        })),
    close: () => standIn.close(),
  };
}

/** Choices are numbered there; a digit picks one. */
async function textChat(): Promise<AppChat> {
  const replies = new MemoryReplies();
  let url = '';
  let ids = 0;
  const say = (text: string) => {
    ids += 1;
    const body = JSON.stringify({ id: `m${ids}`, chat: 'ana', person: 'ana', text });
    return posted(url, body, signatureHeaders(TEXT_SECRET, body, Date.now()));
  };
  const shown = () => {
    const chat = { tenant: textChannel.tenant, channelId: textChannel.id, chat: 'ana' };
    return replies.after(chat, 0, 1_000);
  };
  return {
    app: createText(replies),
    channel: textChannel,
    connect: (webhookUrl) => {
      url = webhookUrl;
    },
    say,
    command: (name, args) => say(words(`/${name}`, args)),
    async pick(label) {
      const last = (await shown()).at(-1)?.text ?? '';
      const [, digit] =
        last
          .split('\n')
          .map((line) => /^(\d)\. (.*)$/u.exec(line))
          .find((match) => match?.[2] === label) ?? [];
      if (digit === undefined) throw new Error(`There is no choice ${label} in: ${last}`);
      await say(digit);
    },
    written: { ...SLASHED, pick: (label) => `writes the number of ${label}` },
    seen: async () => (await shown()).map(({ seq, text }) => ({ id: String(seq), text, buttons: [] })),
    close: async () => undefined,
  };
}

function words(name: string, args: string | undefined): string {
  return args === undefined ? name : `${name} ${args}`;
}

/** Every app, and each kind of channel that one has: an app without its own does not compile. */
export const APP_CHATS: Record<AppName | 'slack, in many workspaces', () => Promise<AppChat>> = {
  telegram: telegramChat,
  discord: discordChat,
  slack: () => slackChat(),
  'slack, in many workspaces': () => slackChat(true),
  teams: teamsChat,
  text: textChat,
};
