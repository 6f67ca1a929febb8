import { expect, test } from 'vitest';
import { render } from '../../../lib/channels/text/render.ts';

test('Markdown stays as it is, with the choices numbered behind it (SPEC 11.4)', () => {
  const choices = [
    { label: 'Start', value: 'a:x:0' },
    { label: 'Keep planning', value: 'a:x:1' },
  ];
  const [piece, ...more] = render({ markdown: '**Plan**\n\n- one\n', choices });
  expect(piece?.body).toEqual({
    text: '**Plan**\n\n- one\n\n\n1. Start\n2. Keep planning\n\nAnswer with a number to choose.',
  });
  expect(more).toEqual([]);
});
