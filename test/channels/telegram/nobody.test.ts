import { describe, expect, test } from 'vitest';
import { read } from '../../../lib/channels/telegram/read.ts';
import { fields } from '../../../lib/channels/telegram/settings.ts';
import press from '../../fixtures/telegram/press.json' with { type: 'json' };
import { group, person, Updates } from '../../standins/telegram.ts';
import { channel } from './channel.ts';

const updates = new Updates(() => 1_790_000_000);
const kinds = (update: object) =>
  read(new TextEncoder().encode(JSON.stringify(update)), channel, 1).map(({ kind }) => kind);

describe.each([1087968824, 136817688, 777000])('cases B 31, 32: %i stands for nobody in particular', (id) => {
  const nobody = person(id, 'Group');

  test('what they write and press is ignored, so that they never have a role', () => {
    const pressed = (from: object) => ({ ...press.body, callback_query: { ...press.body.callback_query, from } });
    expect(kinds(updates.groupMessage('@acme_bot hello', nobody, group(-5)))).toEqual(['ignored']);
    expect(kinds(updates.privateMessage('hello', nobody))).toEqual(['ignored']);
    expect(kinds(pressed(nobody))).toEqual(['ignored']);
    expect(kinds(pressed(person(2, 'Ben')))).toEqual(['press']);
  });

  test('no record can name them', () => {
    expect(fields.personFault?.(String(id))).toMatch(/nobody in particular/);
    expect(fields.personFault?.(`0${id}`)).toBeDefined();
  });
});
