/** Where an AWS service is reached, and how long to wait for it. Every field has a default. */
export interface AwsOptions {
  /** Default: the service's own address in the region. */
  endpoint?: string;
  /** Default: the region of the environment. */
  region?: string;
  /** Default: the credentials of the environment, on Lambda those of the function's role. */
  credentials?: { accessKeyId: string; secretAccessKey: string };
  /** How often a request is tried. Default 3. */
  maxAttempts?: number;
  /** One attempt's longest time to connect, ms. Default 1,000. */
  connectionTimeoutMs?: number;
  /** One attempt's longest time, ms; a long poll needs more than its wait. Default 2,000. */
  requestTimeoutMs?: number;
}

const DEFAULT_ATTEMPTS = 3;
const MAX_SOCKETS = 100;

function clientConfig(options: AwsOptions) {
  return {
    ...(options.endpoint ? { endpoint: options.endpoint } : {}),
    ...(options.region ? { region: options.region } : {}),
    ...(options.credentials ? { credentials: options.credentials } : {}),
    maxAttempts: options.maxAttempts ?? DEFAULT_ATTEMPTS,
    requestHandler: {
      connectionTimeout: options.connectionTimeoutMs ?? 1_000,
      requestTimeout: options.requestTimeoutMs ?? 2_000,
      // Without this a request over its time is only logged, and a webhook would wait for it.
      throwOnRequestTimeout: true,
      httpAgent: { keepAlive: true, maxSockets: MAX_SOCKETS },
      httpsAgent: { keepAlive: true, maxSockets: MAX_SOCKETS },
    },
  };
}

/** What the SDK does for its makers' statistics with every request: a tenth of a call's CPU. */
const STATISTICS = 'getUserAgentMiddleware';

interface AwsClient {
  middlewareStack: { remove(name: string): boolean };
}

/**
 * Makes a client of an AWS service: connections are kept, a request is tried again, and each attempt has a limit,
 * so that a webhook can still answer its chat app when a service hangs.
 * @param Client the SDK's class, such as `DynamoDBClient`.
 */
export function awsClient<C extends AwsClient>(
  Client: new (config: ReturnType<typeof clientConfig>) => C,
  options: AwsOptions = {},
): C {
  const client = new Client(clientConfig(options));
  client.middlewareStack.remove(STATISTICS);
  return client;
}
