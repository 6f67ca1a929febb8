import { SettingsError } from '../domain/errors.ts';
import type { Service } from './operations.ts';

/** What signs a request. `sessionToken` belongs to the keys of a role. */
export interface Credentials {
  accessKeyId: string;
  secretAccessKey: string;
  sessionToken?: string;
}

type Environment = Record<string, string | undefined>;

/** The DNS suffixes of AWS's partitions, by how their regions begin; all others have the first partition's. */
const SUFFIXES: readonly [RegExp, string][] = [
  [/^cn-/, 'amazonaws.com.cn'],
  [/^us-iso-/, 'c2s.ic.gov'],
  [/^us-isob-/, 'sc2s.sgov.gov'],
  [/^us-isof-/, 'csp.hci.ic.gov'],
  [/^eu-isoe-/, 'cloud.adc-e.uk'],
  [/^eusc-/, 'amazonaws.eu'],
];
const SUFFIX = 'amazonaws.com';

/** The region of the environment. @throws {SettingsError} if it names none. */
export function regionOf(env: Environment = process.env): string {
  const region = env.AWS_REGION || env.AWS_DEFAULT_REGION;
  if (!region) throw new SettingsError('The setting AWS_REGION is missing');
  return region;
}

/**
 * The credentials of the environment: on Lambda those of the function's role, which stay as they are for the life of the
 * process.
 * @throws {SettingsError} if they are not there.
 */
export function credentialsOf(env: Environment = process.env): Credentials {
  const { AWS_ACCESS_KEY_ID: accessKeyId, AWS_SECRET_ACCESS_KEY: secretAccessKey, AWS_SESSION_TOKEN: token } = env;
  if (!accessKeyId || !secretAccessKey) {
    throw new SettingsError('There are no AWS credentials: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY');
  }
  return token ? { accessKeyId, secretAccessKey, sessionToken: token } : { accessKeyId, secretAccessKey };
}

/** Where a service is reached: as the environment says (`AWS_ENDPOINT_URL_<SERVICE>`, `AWS_ENDPOINT_URL`), else at AWS. */
export function endpointOf(service: Service, region: string, env: Environment = process.env): string {
  const given = env[`AWS_ENDPOINT_URL_${service.toUpperCase()}`] || env.AWS_ENDPOINT_URL;
  const suffix = SUFFIXES.find(([pattern]) => pattern.test(region))?.[1] ?? SUFFIX;
  return given || `https://${service}.${region}.${suffix}`;
}
