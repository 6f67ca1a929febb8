import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { ModelFacts, ReplyContext } from '../../lib/commands/command.ts';
import { menuReply } from '../../lib/commands/menus.ts';
import { EFFORTS } from '../../lib/domain/events.ts';
import type { ActionChoice, MenuView } from '../../lib/ports/actions.ts';
import * as g from '../support/given.ts';

const models = (provider: string, count: number): ModelFacts[] =>
  Array.from({ length: count }, (_, n) => ({
    ...{ name: `${provider}/m${n}`, provider, model: `m${n}`, contextWindow: 1_000, efforts: EFFORTS, fast: true },
  }));

function contextOf(command: string, tenant: ModelFacts[], more: Partial<ReplyContext> = {}): ReplyContext {
  const [event] = g.logOf([g.draft('command.ran', { ...g.base(), command, outcome: 'shown' })]);
  return {
    ...({ event, state: g.stateAfter(), buttonLimit: 8 } as ReplyContext),
    tenant: { models: tenant, defaults: {} },
    chat: { model: tenant[0]?.name ?? '', efforts: EFFORTS, fast: false, fastService: true, mode: 'ask' },
    ...more,
  };
}

const labels = (choices: readonly ActionChoice[] = []) => choices.map(({ label }) => label);
const viewBehind = ({ target }: ActionChoice): MenuView => {
  if (target.kind !== 'menu') throw new Error('Opens no view');
  return target.view;
};

describe('pages (SPEC 11.5)', () => {
  test('however many there are, in every app each is reached once, within the limit, and More is the last', () => {
    const sizes = fc.record({
      ...{ count: fc.integer({ min: 1, max: 60 }), others: fc.integer({ min: 0, max: 40 }) },
      ...{ buttonLimit: fc.constantFrom(6, 8, 9, 25), command: fc.constantFrom('model', 'settings') },
      used: fc.nat(),
    });
    fc.assert(
      fc.property(sizes, ({ count, others, buttonLimit, command, used }) => {
        const all = [...models('p', count), ...models('q', others)];
        const base = contextOf(command, all, { buttonLimit });
        const context = { ...base, chat: { ...base.chat, model: `p/m${used % count}` } };
        const first = menuReply(context, { menu: 'models', scope: 'chat' }).choices ?? [];
        expect(labels(first)).toContain(`✓ m${used % count}`);
        const seen: string[] = [];
        let view: MenuView | undefined = { menu: 'models', scope: 'chat', page: 0 };
        while (view) {
          const choices: ActionChoice[] = menuReply(context, view).choices ?? [];
          expect(choices.length).toBeLessThanOrEqual(buttonLimit);
          for (const { target } of choices) if (target.kind === 'set') seen.push(String(target.change.model));
          const more: ActionChoice | undefined = choices.find(({ label }) => label === 'More');
          if (more) expect(choices.at(-1)).toBe(more);
          view = more && viewBehind(more);
        }
        expect(seen).toEqual(models('p', count).map(({ name }) => name));
      }),
    );
  });

  test('providers are paged too', () => {
    const many = Array.from({ length: 20 }, (_, n) => models(`p${n}`, 1)).flat();
    const { choices = [] } = menuReply(contextOf('model', many), { menu: 'providers', scope: 'chat' });
    expect(labels(choices)).toEqual(['✓ p0', 'p1', 'p2', 'p3', 'p4', 'p5', 'p6', 'More']);
  });
});

describe('views (SPEC 11.5)', () => {
  test('/model opens on the provider in use, the others behind a choice; its own list has no Back', () => {
    const tenant = [...models('p', 2), ...models('q', 2)];
    const base = contextOf('model', tenant);
    const context = { ...base, chat: { ...base.chat, model: 'q/m1' } };
    const reply = menuReply(context, { menu: 'models', scope: 'chat' });
    expect(reply.markdown).toBe('Model of this chat: **q/m1**\n\nModels of q:');
    expect(labels(reply.choices)).toEqual(['m0', '✓ m1', 'Other providers']);
    const inSettings = { ...contextOf('settings', tenant), chat: context.chat };
    expect(labels(menuReply(inSettings, { menu: 'models', scope: 'chat' }).choices).at(-1)).toBe('Back');
  });

  test('a model in use that its provider does not list is among them, and ticked', () => {
    const base = contextOf('model', models('p', 1));
    const context = { ...base, chat: { ...base.chat, model: 'p/own' } };
    expect(labels(menuReply(context, { menu: 'models', scope: 'chat' }).choices)).toEqual(['✓ own', 'm0']);
  });

  test('SPEC 4.11: a model that has disappeared is said, and nothing is ticked in its place', () => {
    const base = contextOf('model', models('p', 2));
    const { model: _gone, ...chat } = base.chat;
    const reply = menuReply({ ...base, chat: { ...chat, missing: 'p/my_old_one' } }, { menu: 'models', scope: 'chat' });
    expect(reply.markdown).toBe('Model of this chat: **p/my\\_old\\_one (no longer set up here)**\n\nModels of p:');
    expect(labels(reply.choices)).toEqual(['m0', 'm1']);
  });

  test('cases E 83: names are escaped in every view', () => {
    const odd = [{ ...models('p', 1)[0], name: 'p_1/my_model*', provider: 'p_1', model: 'my_model*' } as ModelFacts];
    const reply = menuReply(contextOf('model', odd), { menu: 'models', scope: 'chat' });
    expect(reply.markdown).toBe('Model of this chat: **p\\_1/my\\_model\\***\n\nModels of p\\_1:');
    const { markdown } = menuReply(contextOf('settings', odd), { menu: 'settings', scope: 'defaults' });
    expect(markdown).toContain('- Model: p\\_1/my\\_model\\*');
  });

  test('/settings stays within the smallest limit of any app', () => {
    for (const scope of ['chat', 'defaults'] as const) {
      const { choices = [] } = menuReply(contextOf('settings', models('p', 1)), { menu: 'settings', scope });
      expect(choices).toHaveLength(6);
    }
  });

  test.each([
    [{ model: 'p/m0' }, 'Model: p/m0'],
    [{ effort: 'high' as const }, 'Effort: high'],
    [{ effort: null }, 'Effort: default'],
    [{ fast: true }, 'Speed: fast'],
    [{ fast: false }, 'Speed: standard'],
    [{ mode: 'auto' as const }, 'Mode: Auto. I make changes without asking, and ask only before one that may destroy'],
  ])('a default asks first, and says what it will be: %j', (confirm, words) => {
    const view: MenuView = { menu: 'settings', scope: 'defaults', confirm };
    const { markdown, choices = [] } = menuReply(contextOf('settings', models('p', 1)), view);
    expect(markdown).toContain(`Make this the default for new chats?\n\n- ${words}`);
    expect(choices.map(({ label, answers }) => [label, answers])).toEqual([
      ['Yes', 'yes'],
      ['No', 'no'],
    ]);
  });

  test('plain yes and no answer questions only, never a list', () => {
    for (const menu of ['settings', 'models', 'providers', 'effort', 'fast', 'mode'] as const) {
      const { choices = [] } = menuReply(contextOf('settings', models('p', 3)), { menu, scope: 'chat' });
      expect(choices.every(({ answers }) => answers === undefined)).toBe(true);
    }
  });
});
