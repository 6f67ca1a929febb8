import { describe, expect, test } from 'vitest';
import type { CommandContext } from '../../lib/commands/command.ts';
import { plan } from '../../lib/commands/plan.ts';
import type { Base } from '../../lib/domain/decide.ts';
import type { ChatOptions } from '../../lib/domain/events.ts';
import type { State } from '../../lib/domain/state.ts';
import * as g from '../support/given.ts';

const { given, message } = g;

/** `/plan` with this argument, where these are the tenant's defaults. */
const planning = (base: Base, args: string, defaults: ChatOptions = {}) => {
  const tenant = { models: [], defaults } as Partial<CommandContext['tenant']>;
  return (state: State) => plan.decide(state, { base, args, tenant } as CommandContext);
};
const options = (base: Base, mode: ChatOptions['mode'] | null, more = {}) =>
  g.draft('options', { ...base, options: { mode }, ...more });
const mode = (to: 'plan' | 'ask' | 'edit' | 'auto') => options(g.base(), to);

describe('/plan (SPEC 7.3, 7.6)', () => {
  test('alone it toggles: on, and back to what there was', () => {
    const base = g.base();
    given().when(planning(base, '')).appends(options(base, 'plan'));
    given(mode('auto'), mode('plan')).when(planning(base, '')).appends(options(base, 'auto'));
    given(mode('plan')).when(planning(base, '')).appends(options(base, null));
  });

  test('where plan is the default, off is ask, and on again remembers it', () => {
    const base = g.base();
    given()
      .when(planning(base, '', { mode: 'plan' }))
      .appends(options(base, 'ask'));
    given(mode('ask'), mode('plan'))
      .when(planning(base, 'off', { mode: 'plan' }))
      .appends(options(base, 'ask'));
  });

  test('SPEC 7.3: /plan off returns to a freer mode without a question', () =>
    given(mode('edit'), mode('plan'))
      .when(planning(g.base(), 'OFF'))
      .holds((state) => {
        expect(state.options).toEqual({ mode: 'edit' });
        expect(state.modeBeforePlan).toBeUndefined();
      }));

  test.each(['on', '“on”', 'ON'])('%j turns it on', (args) => {
    const base = g.base();
    given().when(planning(base, args)).appends(options(base, 'plan'));
  });

  test.each(['enable', 'TRUE'])('SPEC 4.7, 7.6: %j turns it on', (args) => {
    const base = g.base();
    given().when(planning(base, args)).appends(options(base, 'plan'));
  });

  test.each(['disable', 'false', 'Off'])('SPEC 4.7, 7.6: %j turns it off', (args) => {
    const base = g.base();
    given(mode('plan')).when(planning(base, args)).appends(options(base, null));
  });

  test.each(['yes', 'No', '1', '0', 'on it', 'enabled', 'offer'])('SPEC 7.6: %j is a message', (text) => {
    const base = g.base();
    given()
      .when(planning(base, text))
      .appends(options(base, 'plan', { content: { text }, memory: 0 }));
  });

  test('what is so already changes nothing', () => {
    const base = g.base();
    const ran = (outcome: string) => g.draft('command.ran', { ...base, outcome });
    given(mode('plan')).when(planning(base, 'on')).appends(ran('on'));
    given().when(planning(base, 'off')).appends(ran('off'));
  });

  test('cases A 5: a message goes along in the same event, all its lines, byte for byte', () => {
    const base = g.base();
    const text = 'book a room — “big”\ninvite Ben';
    given(message())
      .when(planning(base, text))
      .appends(options(base, 'plan', { content: { text }, memory: 0 }));
    given(message())
      .when(planning(base, text))
      .holds((state) => {
        expect(state.waiting).toEqual([1, 2]);
        expect(state.options.mode).toBe('plan');
      });
  });

  test('SPEC 6.3: the first message of a conversation takes the waiting goal along', () => {
    const base = g.base();
    given(g.goalSet('whales'))
      .when(planning(base, 'a trip'))
      .appends(options(base, 'plan', { content: { text: 'a trip' }, memory: 0, goal: 'whales' }));
  });

  test('SPEC 4.11: /new drops plan mode and goes back to the mode before', () =>
    given(mode('edit'), mode('plan'), g.started()).holds((state) => expect(state.options).toEqual({ mode: 'edit' })));
});
