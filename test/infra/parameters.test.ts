import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { ParameterError, readParameters } from '../../infra/parameters.ts';
import { TURNS_AT_ONCE } from '../../lib/domain/limits.ts';
import { HASH, synthesise } from './template.ts';

const read = (given: Record<string, unknown>) => readParameters((name) => given[name]);
const withHash = (given: Record<string, unknown>) => read({ adminTokenSha256: HASH, ...given });

describe('the hash of the admin token', () => {
  test('without it nothing is synthesised, and the error says how to make one', () => {
    expect(() => read({})).toThrow(ParameterError);
    expect(() => read({})).toThrow(/openssl dgst -sha256.*-c adminTokenSha256=HASH/su);
    expect(() => read({ adminTokenSha256: '' })).toThrow(/Give the SHA-256/u);
  });

  test.each([['ab'], ['AB'.repeat(32)], ['g'.repeat(64)], [`${HASH}0`], [` ${HASH}`]])(
    '%s is none',
    (adminTokenSha256) => {
      expect(() => read({ adminTokenSha256 })).toThrow(/64 characters of 0-9 and a-f/u);
      expect(() => read({ adminTokenSha256, synthOnly: 'true' })).toThrow(/64 characters/u);
    },
  );

  test('a template only to look at has the hash of no token', () => {
    expect(read({ synthOnly: 'true' }).adminTokenSha256).toBe('0'.repeat(64));
    expect(read({ synthOnly: 'true', adminTokenSha256: HASH }).adminTokenSha256).toBe(HASH);
    expect(() => read({ synthOnly: 'false' })).toThrow(ParameterError);
  });

  test('the CDK app says the same in words, not by a stack trace', () => {
    const outdir = mkdtempSync(join(tmpdir(), 'conch-synth-'));
    const env = { ...process.env, CDK_OUTDIR: outdir };
    const run = spawnSync(process.execPath, ['infra/app.ts'], { env, encoding: 'utf8' });
    rmSync(outdir, { recursive: true, force: true });
    expect(run.status).toBe(1);
    expect(run.stderr).toMatch(/^Give the SHA-256 of the admin token/u);
    expect(run.stderr).not.toMatch(/^ {4}at /mu);
  });
});

describe('the other parameters', () => {
  test('have defaults', () => {
    const { apiRoots, alarmTopicArn, webhookConcurrency, workerConcurrency } = withHash({});
    expect({ apiRoots, alarmTopicArn }).toEqual({ apiRoots: undefined, alarmTopicArn: undefined });
    expect(webhookConcurrency).toBeGreaterThan(0);
    expect(workerConcurrency).toBeGreaterThan(0);
  });

  test('DESIGN 3, Waits: a tenant’s turns at once are at most half of what the workers can do', () => {
    expect(withHash({}).workerConcurrency).toBeGreaterThanOrEqual(2 * TURNS_AT_ONCE);
    const tooFew = 2 * TURNS_AT_ONCE - 1;
    expect(() => withHash({ workerConcurrency: String(tooFew) })).toThrow(/workerConcurrency has to be/u);
  });

  test.each([
    ['webhookConcurrency', '-1'],
    ['webhookConcurrency', 'many'],
    ['workerConcurrency', '1001'],
    ['workerConcurrency', '20.5'],
    ['apiRoots', 'http://bots.example'],
    ['apiRoots', 'https://bots.example,*'],
    ['alarmTopicArn', 'alarms'],
  ])('%s=%s is refused by its name', (name, value) => {
    expect(() => withHash({ [name]: value })).toThrow(new RegExp(`^${name} has to be`, 'u'));
  });

  test('go into the template', () => {
    const alarmTopicArn = 'arn:aws:sns:eu-central-1:123456789012:alarms';
    const stack = synthesise({ webhookConcurrency: 'none', workerConcurrency: '133', alarmTopicArn });
    stack.remove();
    expect(stack.of('Lambda::EventSourceMapping', 'worker').Properties.ScalingConfig).toEqual({
      MaximumConcurrency: 133,
    });
    for (const { id, Properties } of stack.ofType('Lambda::Function')) {
      expect(Properties.ReservedConcurrentExecutions, id).toBeUndefined();
    }
    for (const { Properties } of stack.ofType('CloudWatch::Alarm')) {
      expect(Properties.AlarmActions).toEqual([alarmTopicArn]);
    }
  });

  test('0 turns the webhooks off', () => {
    const stack = synthesise({ webhookConcurrency: 0 });
    stack.remove();
    expect(stack.of('Lambda::Function', 'telegram').Properties.ReservedConcurrentExecutions).toBe(0);
    expect(stack.of('Lambda::Function', 'admin').Properties.ReservedConcurrentExecutions).toBeGreaterThan(0);
  });
});
