import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { verify } from '../../../lib/channels/teams/verify.ts';
import type { Channel } from '../../../lib/ports/chatApp.ts';
import vectors from '../../fixtures/teams/vectors.json' with { type: 'json' };
import { TeamsStandIn } from '../../standins/teams.ts';
import { at, channel, NOW, signed, withToken } from './channel.ts';

const bytes = (value: unknown) => new TextEncoder().encode(JSON.stringify(value));
const ACTIVITY = bytes(vectors.activity);
const MINUTE_MS = 60_000;

let teams: TeamsStandIn;
beforeAll(async () => {
  teams = await TeamsStandIn.start();
});
afterAll(() => teams.close());

/** A stand-in whose keys nobody has fetched yet. */
async function freshKeys<T>(look: (own: TeamsStandIn) => Promise<T>): Promise<T> {
  const own = await TeamsStandIn.start();
  try {
    return await look(own);
  } finally {
    await own.close();
  }
}

describe('tokens of Bot Framework (PLATFORMS D6)', () => {
  test.each(vectors.vectors)('$name: $expect', async ({ token, expect: expected, nowSeconds }) => {
    const verified = await verify(withToken(ACTIVITY, `Bearer ${token}`), at(teams), nowSeconds * 1000);
    // One vector leaves both open: the address has to be the same to the letter here.
    expect(verified.ok).toBe(expected === 'accept');
  });

  test.each<[string, Channel]>([
    ['no app id', { ...channel, settings: {} }],
    ['no secret', { ...channel, secrets: {} }],
  ])('a channel with %s takes nothing', async (_case, unconfigured) => {
    expect(await verify(signed(ACTIVITY), unconfigured, NOW)).toMatchObject({ ok: false });
  });

  test.each([
    ['of another channel than Teams', { ...vectors.activity, channelId: 'webchat' }],
    ['without an address', { ...vectors.activity, serviceUrl: undefined }],
    ['for another address than the token', { ...vectors.activity, serviceUrl: 'https://elsewhere.example/' }],
    ['that is no object', []],
  ])('an activity %s is refused, whoever signed it', async (_case, activity) => {
    const request = { ...signed(ACTIVITY), body: bytes(activity) };
    expect(await verify(request, at(teams), NOW)).toMatchObject({ ok: false });
  });

  test('the right one passes, with the word Bearer in any case', async () => {
    const request = signed(ACTIVITY);
    const lower = String(request.headers.authorization).replace('Bearer', 'bearer');
    expect(await verify(request, at(teams), NOW)).toEqual({ ok: true });
    expect(await verify(withToken(ACTIVITY, lower), at(teams), NOW)).toEqual({ ok: true });
  });
});

describe('the keys', () => {
  test('are fetched once by all that need them at once, and again after a day', () =>
    freshKeys(async (own) => {
      const one = () => verify(signed(ACTIVITY, { seconds: NOW / 1000 }), at(own), NOW);
      expect(await Promise.all([one(), one(), one()])).toEqual([{ ok: true }, { ok: true }, { ok: true }]);
      await one();
      expect(own.callsOf('keys')).toHaveLength(1);
      const nextDay = NOW + 24 * 60 * MINUTE_MS;
      await verify(signed(ACTIVITY, { seconds: nextDay / 1000 }), at(own), nextDay);
      expect(own.callsOf('keys')).toHaveLength(2);
    }));

  test('one that is not known is looked for again, and not more than once in five minutes', () =>
    freshKeys(async (own) => {
      const [first, ...others] = vectors.jwks.keys;
      own.keys = others;
      const later = (ms: number) => verify(signed(ACTIVITY, { seconds: (NOW + ms) / 1000 }), at(own), NOW + ms);
      expect(await later(0)).toMatchObject({ ok: false });
      own.keys = [first];
      expect(await later(MINUTE_MS)).toMatchObject({ ok: false });
      expect(own.callsOf('keys')).toHaveLength(1);
      expect(await later(6 * MINUTE_MS)).toEqual({ ok: true });
      expect(own.callsOf('keys')).toHaveLength(2);
    }));

  test('that cannot be had accept nobody, and are not asked for with every request', () =>
    freshKeys(async (own) => {
      own.fail({ kind: 'error', status: 503 }, { times: 2 });
      const one = (ms = 0) => verify(signed(ACTIVITY), at(own), NOW + ms);
      await expect(one()).rejects.toMatchObject({ code: 'signing-keys', retryable: true });
      await expect(one()).rejects.toMatchObject({ code: 'signing-keys' });
      expect(own.calls).toHaveLength(1);
      await expect(one(11_000)).rejects.toMatchObject({ code: 'signing-keys' });
      expect(await one(30_000)).toEqual({ ok: true });
    }));

  test('stand at the place that names them, or count for nothing', () =>
    freshKeys(async (own) => {
      const settings = {
        ...at(own).settings,
        openIdMetadataUrl: own.fields.openIdMetadataUrl.replace('127.0.0.1', 'localhost'),
      };
      await expect(verify(signed(ACTIVITY), { ...at(own), settings }, NOW)).rejects.toMatchObject({
        code: 'signing-keys',
      });
      expect([own.callsOf('metadata').length, own.callsOf('keys').length]).toEqual([1, 0]);
    }));

  test('a key that may speak for other channels only signs nothing here', async () => {
    expect(await verify(signed(ACTIVITY, { unendorsed: true }), at(teams), NOW)).toMatchObject({ ok: false });
  });
});
