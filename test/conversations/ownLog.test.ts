import { describe, expect, test } from 'vitest';
import { custom, skill } from '../support/own.ts';
import { Room } from './room.ts';

const message = (text: string, name?: string, display?: string) => ({
  ...{
    type: 'message',
    content: { text, ...(name ? { command: { name, display } } : {}) },
    memory: 0,
    conversation: 0,
  },
});

async function room(options: Parameters<typeof Room.open>[0] = {}): Promise<Room> {
  const opened = await Room.open(options);
  await opened.tenants.putCommand('t', custom('greet', { template: 'Greet {{args}}.' }));
  await opened.tenants.putCommand('t', custom('deploy-prod', { who: 'owner', description: 'Ships *it*' }));
  await opened.tenants.putSkill('t', skill('tone'));
  return opened;
}

describe('SPEC 10.3, 4.8: a custom command in the log', () => {
  test('is one message that waits its turn; nothing is answered at once', async () => {
    const it = await room();
    expect((await it.say('first')).text).toBe('');
    expect((await it.say('/greet Ana')).text).toBe('');
    expect(await it.events()).toEqual([message('first'), message('Greet Ana.', 'greet', '/greet Ana')]);
    expect((await it.state()).waiting).toEqual([1, 2]);
  });

  test('SPEC 10.1: a change counts from the next message; what is in the log stays', async () => {
    const it = await room();
    await it.say('/greet Ana');
    await it.tenants.putCommand('t', custom('greet', { template: 'Welcome {{args}}!' }));
    await it.say('/greet Ben');
    await it.tenants.deleteCommand('t', 'greet');
    const gone = await it.say('/greet Cy');
    expect(gone.text).toContain('There is no command /greet');
    expect(await it.events()).toEqual([
      message('Greet Ana.', 'greet', '/greet Ana'),
      message('Welcome Ben!', 'greet', '/greet Ben'),
      { type: 'command.ran', command: 'unknown-command', outcome: 'unknown', detail: { typed: '/greet Cy' } },
    ]);
  });

  test('SPEC 4.10: /stop drops it like any message; SPEC 5.6: so does /clear', async () => {
    const it = await room();
    await it.say('/greet Ana');
    expect((await it.say('/stop')).text).toContain('1 message that was waiting is dropped');
    await it.say('/tone a mail');
    expect((await it.say('/clear')).text).toContain('1 message that was waiting is dropped');
    expect((await it.state()).waiting).toEqual([]);
  });

  test('case B 37: an owner’s command is refused to another, and is in no list of theirs', async () => {
    const it = await room();
    expect((await it.say('/deploy-prod', 'ben')).text).toBe('Only the owner of this bot can do that.');
    expect(await it.events('ben')).toEqual([
      { type: 'command.ran', command: 'not-permitted', outcome: 'refused', detail: { why: 'owner-only' } },
    ]);
    expect((await it.say('/help', 'ben')).text).not.toContain('deploy');
    expect((await it.say('/deplo', 'ben')).labels).toEqual(['Send as a message']);
    expect((await it.say('/deploy_prod', 'ana')).text).toBe('');
    expect(await it.events('ana')).toEqual([message('Do deploy-prod: ', 'deploy-prod', '/deploy_prod')]);
  });

  test('SPEC 4.3: in a group it works in a private chat; an unknown one is silence', async () => {
    const it = await room();
    expect((await it.say('/greet x', 'ana', { group: true })).text).toBe('That works in a private chat with me.');
    expect((await it.say('/nothing x', 'ana', { group: true })).text).toBe('');
    expect(await it.events('ana', true)).toHaveLength(1);
  });
});

describe('SPEC 4.5, 4.6: did you mean', () => {
  test('it offers what the person may run; a press sends the custom command with the same argument', async () => {
    const it = await room();
    const asked = await it.say('/gret Ana  and Ben');
    expect(asked.labels).toEqual(['/greet', 'Send as a message']);
    await it.press('/greet');
    const [, pressed] = await it.events();
    expect(pressed).toEqual({ ...message('Greet Ana  and Ben.', 'greet', '/greet Ana  and Ben'), pressed: true });
  });

  test('SPEC 9.1: a press is checked again; what was taken away is not sent', async () => {
    const it = await room();
    await it.say('/deploy-prd');
    await it.own('cy');
    await it.press('/deploy-prod');
    expect(it.whispers).toEqual(['You can no longer do that here.']);
    expect(await it.events()).toHaveLength(1);
  });

  test('the words can be sent as they are', async () => {
    const it = await room();
    await it.say('/gret Ana');
    await it.press('Send as a message');
    expect((await it.events())[1]).toEqual({ ...message('/gret Ana'), pressed: true });
  });
});

describe('SPEC 4.2: /help', () => {
  test('has custom commands and skills in sections of their own, in the app’s own form', async () => {
    const it = await room({ limits: { hyphen: '_' } });
    const { text } = await it.say('/help');
    expect(text).toContain('**Custom commands**\n\n- /deploy\\_prod: Ships \\*it\\*\n- /greet: Does greet');
    expect(text).toContain('**Skills**\n\n- /tone: How to tone');
    expect((await it.say('/help deploy_prod')).text).toBe('/deploy\\_prod \\[text\\]: Ships \\*it\\*');
  });
});

test('SPEC 10.3: /retry sends the stored expansion, also when the template is another by now', async () => {
  const it = await room();
  await it.say('/greet Ana');
  await it.say('/stop');
  await it.tenants.putCommand('t', custom('greet', { template: 'Other.' }));
  await it.say('/retry');
  const events = await it.events();
  expect(events.at(-1)).toMatchObject(message('Greet Ana.', 'greet', '/greet Ana'));
});
