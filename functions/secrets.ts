import { SettingsError } from '../lib/domain/errors.ts';
import type { SecretBox } from '../lib/ports/secrets.ts';
import type { Settings } from './settings.ts';

/**
 * What seals this deployment's secrets: KMS, or a key file on one machine. Each is imported when it is used.
 * @throws {SettingsError} unless exactly one is set.
 */
export async function createSecrets(settings: Settings): Promise<SecretBox> {
  const { CONCH_KMS_KEY_ID: keyId, CONCH_KEY_FILE: keyFile } = settings;
  if ((keyId === undefined) === (keyFile === undefined)) {
    throw new SettingsError('Set one of CONCH_KMS_KEY_ID and CONCH_KEY_FILE');
  }
  if (keyFile !== undefined) return (await import('../lib/aws/keyFileSecrets.ts')).KeyFileSecretBox.open(keyFile);
  const [{ KmsSecretBox }, { awsClient }] = await Promise.all([
    import('../lib/aws/kmsSecrets.ts'),
    import('../lib/aws/clients.ts'),
  ]);
  return new KmsSecretBox(awsClient('kms'), keyId ?? '');
}
