import { MCPMock } from '@copilotkit/aimock/mcp';
import { expect, test } from 'vitest';
import { run, toolWorld } from './setup.ts';

/** Another implementation of the protocol than the stand-in, so that neither is held to our reading of it alone. */
test('DESIGN 4: another server’s tools and prompts are offered and work', async () => {
  const peer = new MCPMock();
  peer.addTool({ name: 'add', description: 'Adds', inputSchema: { type: 'object', properties: { a: {}, b: {} } } });
  peer.onToolCall('add', (args) => {
    const { a, b } = args as { a: number; b: number };
    return `${a + b}`;
  });
  peer.addPrompt({ name: 'triage', description: 'Sorts', arguments: [{ name: 'what', required: true }] }, (args) => ({
    messages: [{ role: 'user', content: { type: 'text', text: `Sort ${(args as { what: string }).what}` } }],
  }));
  const url = await peer.start();
  const world = toolWorld();
  const { catalog } = await world.connect('peer', url);
  expect(catalog.fault).toBeUndefined();
  const box = await world.open();
  expect(box.tools.map(({ name }) => name)).toEqual(['load_prompt', 'peer_add']);
  expect(await run(box, 'peer_add', { a: 2, b: 3 })).toEqual({ text: '5' });
  expect(await run(box, 'load_prompt', { name: 'triage', arguments: { what: 'bugs' } })).toEqual({ text: 'Sort bugs' });
  await box.close();
  expect(peer.getSessions().size).toBe(0);
  await peer.stop();
});
