import { expect, test } from 'vitest';
import { INSTALL_MS, installState, isInstallState } from '../../lib/tenants/install.ts';
import { installed as channel } from '../channels/slack/channel.ts';

const NOW = 1_790_000_000_000;
const NONCE = 'of-this-browser';

test('the state of an installation serves one browser and channel, for ten minutes', () => {
  const state = installState(channel, NONCE, NOW);
  const holds = (as: { nonce?: string; at?: number; of?: typeof channel; state?: string } = {}) =>
    isInstallState(as.of ?? channel, as.nonce ?? NONCE, as.state ?? state, as.at ?? NOW);
  expect(holds()).toBe(true);
  expect(holds({ at: NOW + INSTALL_MS - 1 })).toBe(true);
  expect(holds({ at: NOW + INSTALL_MS })).toBe(false);
  expect(holds({ at: NOW - 1 })).toBe(false);
  expect(holds({ nonce: 'of-another' })).toBe(false);
  expect(holds({ nonce: '' })).toBe(false);
  expect(holds({ of: { ...channel, id: 't1.other' } })).toBe(false);
  expect(holds({ of: { ...channel, secrets: { clientSecret: 'another' } } })).toBe(false);
  const [expiresAt, mac] = state.split('.');
  for (const other of ['', '.', `${expiresAt}.`, `${Number(expiresAt) - 1}.${mac}`, `${state}x`, `0${state}`]) {
    expect(holds({ state: other })).toBe(other === `0${state}`);
  }
  expect(state).not.toContain(NONCE);
});
