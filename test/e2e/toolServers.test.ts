import { afterAll, beforeAll, expect, test } from 'vitest';
import { type RunningMcp, startMcp, textTool } from '../standins/mcp.ts';
import { ModelStandIn } from '../standins/model.ts';
import { person, TelegramStandIn, Updates } from '../standins/telegram.ts';
import { Conch, until } from './conch.ts';

const conch = new Conch();
const updates = new Updates();
let [telegram, model, mcp]: [TelegramStandIn, ModelStandIn, RunningMcp] = [] as never;

beforeAll(async () => {
  [telegram, model, mcp] = await Promise.all([
    TelegramStandIn.start(),
    ModelStandIn.start(),
    startMcp({
      wanted: { 'x-key': 'canary-of-the-tracker' },
      tools: [
        textTool('find', ({ what }) => `Found three ${what}`, { annotations: { readOnlyHint: true } }),
        textTool('close', ({ issue }) => `Closed ${issue}`),
      ],
    }),
    conch.start(),
  ]);
  await conch.admin('PUT', '/tenants/acme', {});
  await conch.admin('PUT', '/tenants/acme/providers/main', {
    ...{ engine: 'openai-compatible', baseURL: model.baseURL('openai-compatible'), apiKey: model.apiKey },
    models: [{ id: 'one', contextWindow: 100_000 }],
  });
  const channel = { app: 'telegram', token: telegram.token, apiRoot: telegram.root, access: 'anyone' };
  await conch.admin('PUT', '/tenants/acme/channels/bot', channel);
  const server = { url: mcp.url, headers: { 'x-key': 'canary-of-the-tracker' } };
  const put = await conch.admin('PUT', '/tenants/acme/tool-servers/tracker', server);
  expect(put).toMatchObject({ status: 201, body: { tools: [{ name: 'find' }, { name: 'close' }] } });
});
afterAll(async () => {
  await Promise.all([conch.close(), telegram.close(), model.close()]);
  mcp.stop();
});

test('SPEC 7.5: in one turn a tool that reads runs at once, one that changes when it is allowed', async () => {
  const ana = person(7_501, 'Ana');
  const call = (name: string, input: object) =>
    model.reply({ chunks: [], calls: [{ id: `call-${name}`, name, pieces: [JSON.stringify(input)] }] });
  call('tracker_find', { what: 'bugs' });
  call('tracker_close', { issue: 7 });
  expect(await telegram.deliver(updates.privateMessage('Close the oldest bug.', ana))).toBe(200);
  const asking = () => telegram.messages(ana.id).find(({ text, buttons }) => /close/u.test(text) && buttons.length > 0);
  const question = await until(asking, 'the question');
  const offered = (model.last.body.tools as { function: { name: string } }[]).map((tool) => tool.function.name);
  expect(offered).toEqual(expect.arrayContaining(['tracker_find', 'tracker_close']));
  expect(JSON.stringify(model.last.body)).toContain('Found three bugs');
  model.reply('Number 7 is closed.');
  const button = question.buttons.flat().find(({ text }) => text === 'Allow once');
  expect(await telegram.deliver(updates.press(button?.data ?? '', ana, telegram.asSent(question)))).toBe(200);
  await until(() => telegram.visible(ana.id).some((text) => text.includes('Number 7 is closed.')), 'the answer');
  expect(JSON.stringify(model.last.body)).toContain('Closed 7');
  expect(mcp.faults).toEqual([]);
  expect(mcp.asked().filter((rpc) => rpc === 'tools/call')).toHaveLength(2);
  expect(conch.output).not.toContain('canary');
});
