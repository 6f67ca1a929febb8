import { describe, expect, test } from 'vitest';
import { EXIT_PLAN_MODE, type ToolResult } from '../../lib/domain/toolCalls.ts';
import type { EngineRequest, TranscriptMessage } from '../../lib/ports/engine.ts';
import { demoEngine } from '../../lib/providers/demo.ts';
import { partsOf, requestOf } from '../contracts/engine.ts';
import { callsIn } from '../contracts/engineTools.ts';

const demo = demoEngine({ settings: {} }, async () => {});
const TOOLS = ['read_file', 'write_file'].map((name) => ({ name, description: name, inputSchema: { type: 'object' } }));
const user = (text: string): TranscriptMessage => ({ role: 'user', text });

/** What the demo says, calls and ends with. */
async function step(messages: TranscriptMessage[], rest: Partial<EngineRequest> = {}) {
  const parts = await partsOf(demo, requestOf({ messages, ...rest }));
  const last = parts.at(-1);
  return {
    text: parts.map((part) => (part.type === 'text' ? part.delta : '')).join(''),
    calls: callsIn(parts),
    reason: last?.type === 'finish' ? last.reason : undefined,
  };
}

/** The transcript after a step: its calls, and a result of each. */
function following(
  messages: TranscriptMessage[],
  made: Awaited<ReturnType<typeof step>>,
  output: string,
  error?: true,
) {
  const results = made.calls.map(({ id, name }): ToolResult => ({ id, name, output, ...(error ? { error } : {}) }));
  const said: TranscriptMessage[] = [
    { role: 'assistant', text: made.text, calls: made.calls },
    { role: 'tool', results },
  ];
  return [...messages, ...said];
}

describe('SPEC 7.1: the demo engine in plan mode', () => {
  const planning = { mayAskToStart: true as const };
  const work = [user('Book a room for Ana')];

  test('it says that it asks by itself, and does so without being offered a tool', async () => {
    expect(demo.planApproval).toBe('native');
    const asked = await step(work, planning);
    expect(asked).toEqual({
      text: '',
      reason: 'tools',
      calls: [
        {
          id: 'demo-1',
          name: EXIT_PLAN_MODE,
          input: { plan: expect.stringMatching(/^1\. .*Book a room for Ana\n2\. /) },
        },
      ],
    });
    expect(await step(work, planning)).toEqual(asked);
  });

  test('SPEC 7.3: after Start it carries on, and says that it is done', async () => {
    const started = following(work, await step(work, planning), 'The person pressed Start.');
    expect(await step(started)).toMatchObject({
      text: expect.stringMatching(/^Done: Book a room for Ana\n/),
      calls: [],
    });
  });

  test('SPEC 7.3: after Start it uses the tool that the request names', async () => {
    const writing = [user('Use write_file with {"path":"a.md"}')];
    const reading = { tools: TOOLS.slice(0, 1) };
    const started = following(writing, await step(writing, { ...planning, ...reading }), 'The person pressed Start.');
    const used = await step(started, { tools: TOOLS });
    expect(used.calls).toEqual([{ id: 'demo-2', name: 'write_file', input: { path: 'a.md' } }]);
    expect((await step(following(started, used, 'written'), { tools: TOOLS })).text).toBe(
      '`write_file` gave:\n\n> written',
    );
  });

  test('SPEC 7.3: after Keep planning it waits, and plans again with what the person says', async () => {
    const kept = following(work, await step(work, planning), 'The person keeps planning.');
    const waits = await step(kept, planning);
    expect(waits).toMatchObject({ calls: [], reason: 'stop', text: expect.stringContaining('What should I change?') });
    const said: TranscriptMessage = { role: 'assistant', text: waits.text };
    const { calls } = await step([...kept, said, user('For two nights')], planning);
    expect((await step([...kept, user('For two nights')], planning)).calls).toEqual(calls);
    expect(calls).toMatchObject([{ id: 'demo-2', name: EXIT_PLAN_MODE }]);
    expect(JSON.stringify(calls)).toMatch(/Book a room for Ana.*as you said: For two nights/);
  });

  test('SPEC 7.3: a plan that was left is over: what comes after plan mode is answered alone', async () => {
    const left = following(work, await step(work, planning), 'The person did not start this plan.');
    expect(await step([...left, user('Tell me about tides')])).toMatchObject({
      calls: [],
      text: expect.stringMatching(/^You said:\n\n> Tell me about tides\n\n/),
    });
  });

  test('SPEC 7.4: a question that was declined starts nothing', async () => {
    const declined = following(work, await step(work, planning), 'Nobody can press Start here.', true);
    expect((await step(declined)).text).not.toMatch(/^Done/);
  });

  test.each([['What is Conch?'], ['Hello!'], ['12 * 7'], ['what is my goal'], ['Summarise this']])(
    '%j is answered as in any mode',
    async (text) => {
      expect(await step([user(text)], planning)).toEqual(await step([user(text)]));
    },
  );

  test('SPEC 7.4: without anybody who may press Start it asks nothing', async () => {
    expect((await step(work)).calls).toEqual([]);
  });
});

describe('the demo engine and tools', () => {
  const use = (text: string, tools = TOOLS) => step([user(text)], { tools });

  test('SPEC 7.5: it calls the tools that are named, with what stands there, and tells what they gave', async () => {
    const text = 'Please use read_file with {"path": "a}.md", "deep": {"b": 1}} and use write_file.';
    const used = await use(text);
    expect(used).toEqual({
      text: 'Let me use `read_file` and `write_file`.',
      reason: 'tools',
      calls: [
        { id: 'demo-1', name: 'read_file', input: { path: 'a}.md', deep: { b: 1 } } },
        { id: 'demo-2', name: 'write_file', input: {} },
      ],
    });
    const told = await step(following([user(text)], used, 'no\nway', true), { tools: TOOLS });
    expect(told.text).toBe('`read_file` failed:\n\n> no\n> way\n\n`write_file` failed:\n\n> no\n> way');
    expect(told.reason).toBe('stop');
  });

  test('what is no JSON is called as it was written', async () => {
    expect((await use('use read_file with {"path": \nplease')).calls[0]?.input).toBe('{"path": ');
  });

  test('so many times is so many steps', async () => {
    let messages = [user('use read_file with {"n": 1} 3 times')];
    const ids: string[] = [];
    for (let made = await step(messages, { tools: TOOLS }); made.calls.length > 0; ) {
      ids.push(...made.calls.map(({ id }) => id));
      messages = following(messages, made, 'ok');
      made = await step(messages, { tools: TOOLS });
    }
    expect(ids).toEqual(['demo-1', 'demo-2', 'demo-3']);
  });

  test('a tool that is not offered, or was used for the message before, is not called', async () => {
    expect((await use('use delete_all with {}')).calls).toEqual([]);
    expect((await use('use read_file', [])).calls).toEqual([]);
    const before = following([user('use read_file')], await use('use read_file'), 'ok');
    const next = await step([...before, { role: 'assistant', text: 'It gave ok.' }, user('Thanks')], { tools: TOOLS });
    expect(next.calls).toEqual([]);
  });
});

describe('SPEC 8.2: the demo engine sums up', () => {
  const long = `Please note all of this ${'and so on '.repeat(20)} for Ben and Carla, 42 chairs, on 3.12.2027.`;
  const talk = [
    user('My cat is Tom'),
    { role: 'assistant' as const, text: 'Nice.' },
    user(long),
    { role: 'assistant' as const, text: 'Noted.' },
  ];

  test.each([
    ['as a message', [...talk, user('Summarise the conversation so far, in a few lines.')], 'You are Conch.'],
    ['in its instructions', talk.slice(0, 3), 'You sum up conversations. Keep names.'],
    ['at the end of a long message', [...talk, user(`${'Rules. '.repeat(200)}Now write the summary.`)], ''],
  ])('asked %s, it keeps names and numbers', async (_case, messages, system) => {
    const { text } = await step(messages, { system });
    for (const fact of ['Tom', ...(messages.length > 3 ? ['Ben', 'Carla', '42', '3.12.2027'] : [])])
      expect(text).toContain(fact);
    expect(text.length).toBeLessThan(600);
  });

  test('a summary from before is carried on, and tools are named', async () => {
    const before = user(
      'A summary of the conversation so far:\n\n<summary>\nSummary of it.\n\n- My cat is Tom\n- I moved to Oslo\n</summary>',
    );
    const used: TranscriptMessage[] = [
      { role: 'assistant', text: '', calls: [{ id: 'a', name: 'read_file', input: {} }] },
      { role: 'tool', results: [{ id: 'a', name: 'read_file', output: 'x' }] },
      { role: 'assistant', text: 'Read.' },
    ];
    const { text } = await step([before, ...used, user('Summarise')]);
    expect(text).toBe(
      'Summary of the conversation. The person said:\n\n- My cat is Tom\n- I moved to Oslo\n\nTools used: read_file.',
    );
  });

  test('SPEC 8.2: what a summary holds is remembered, and is no question', async () => {
    const summed = (memory = '') => `A summary of the conversation so far:\n\n<summary>\n${memory}\n</summary>`;
    const { text: summary } = await step([...talk, user('Summarise')]);
    for (const [memory, words] of [
      [summary, 'Tell me about tides'],
      [`${summary}\n\nTools used: read_file.`, 'Tell me about tides'],
      ['They talked about a summary of Tom.', 'Tell me about tides'],
    ]) {
      const { text } = await step([user(`${summed(memory)}\n\n${words}`)]);
      expect(text).toMatch(/^You said:\n\n> Tell me about tides\n\n/);
      const asked = await step([user(`${summed(memory)}\n\nWhat did I say?`)]);
      expect(asked.text).toMatch(/^I remember .*:\n\n- (?:.*\n)*.*Tom/);
    }
    expect((await step([user(`${summed(summary)}\n\nuse read_file`)], { tools: TOOLS })).calls).toHaveLength(1);
  });

  test('a conversation that stands in the request is summed up by what the person said in it', async () => {
    const text = [
      'The summary of what came before this part:\n\nSummary of it.\n\n- My cat is Tom',
      '<conversation>\nPerson: A summary of the conversation so far:\n\n  <summary>\n  - I am five\n  </summary>\n\nAssistant: Ok.\n\nPerson: I moved to Oslo\n\n  in May\n\nAssistant: Nice.\n\nPerson: Call me Ben\n</conversation>',
      'Sum the conversation up, with what came before it, as one summary.',
      'The person asks to keep in mind: the cat',
    ].join('\n\n');
    expect((await step([user(text)], { system: 'You sum up a conversation.' })).text).toBe(
      'Summary of the conversation. The person said:\n\n- My cat is Tom\n- I am five\n- I moved to Oslo in May\n- Call me Ben\n- Keep in mind: the cat',
    );
  });

  test('it stays short however long the conversation was, and keeps what is newest', async () => {
    const many = Array.from({ length: 400 }, (_, n) => [
      user(`Person${n} said: ${'word '.repeat(50)}`),
      talk[1],
    ]).flat();
    const { text } = await step([...(many as TranscriptMessage[]), user('Summarise')]);
    expect(text).toContain('Person399');
    expect(text).toContain('Before that, about: ');
    expect(text.length).toBeLessThan(8_000);
  });
});
