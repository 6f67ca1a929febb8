import { AssetHashType, DockerImage, type Duration, RemovalPolicy } from 'aws-cdk-lib';
import { PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Architecture, Code, Function as Lambda, LoggingFormat, RecursiveLoop, Runtime } from 'aws-cdk-lib/aws-lambda';
import { LogGroup, RetentionDays } from 'aws-cdk-lib/aws-logs';
import type { Construct } from 'constructs';
import { bundleFunction, type FunctionName, PROJECT } from './bundling.ts';
import { PERMISSIONS } from './permissions.ts';
import { statementsOf } from './statements.ts';
import type { Stores } from './stores.ts';

/** How a function runs. Memory is also its share of a CPU: 1,769 MB are a whole one. */
export interface Resources {
  memoryMb: number;
  timeout: Duration;
  /** Invocations at once; undefined for what the account has left. */
  concurrency?: number | undefined;
}

/** A function that is deployed, and where it logs. */
export interface Deployed {
  name: FunctionName;
  lambda: Lambda;
  logs: LogGroup;
}

/**
 * Creates a function: its bundle, a role of its own with `PERMISSIONS`, and its log.
 * @param environment what it needs beside the table's name.
 */
export function createFunction(
  scope: Construct,
  stores: Stores,
  name: FunctionName,
  { memoryMb, timeout, concurrency }: Resources,
  environment: Record<string, string>,
): Deployed {
  const id = name.charAt(0).toUpperCase() + name.slice(1);
  const logs = new LogGroup(scope, `${id}Logs`, {
    retention: RetentionDays.ONE_MONTH,
    removalPolicy: RemovalPolicy.DESTROY,
  });
  const lambda = new Lambda(scope, id, {
    runtime: Runtime.NODEJS_24_X,
    architecture: Architecture.ARM_64,
    handler: 'index.handler',
    code: codeOf(name),
    role: createRole(scope, `${id}Role`, stores, name, logs),
    memorySize: memoryMb,
    timeout,
    environment: { CONCH_TABLE: stores.table.tableName, ...environment },
    logGroup: logs,
    loggingFormat: LoggingFormat.JSON,
    // A hint that waits is a new one each time; Lambda would take the sixteenth for a runaway loop and drop it.
    recursiveLoop: RecursiveLoop.ALLOW,
    ...(concurrency === undefined ? {} : { reservedConcurrentExecutions: concurrency }),
  });
  return { name, lambda, logs };
}

/**
 * The bundle, made when the stack is synthesised. Its hash is that of the files, so that only a change is deployed; the
 * function's name stands in the options, since CDK takes two assets with the same options for one.
 */
function codeOf(name: FunctionName): Code {
  return Code.fromAsset(PROJECT, {
    assetHashType: AssetHashType.OUTPUT,
    bundling: {
      image: DockerImage.fromRegistry('none'),
      environment: { FUNCTION: name },
      local: {
        tryBundle(outdir) {
          bundleFunction(name, outdir);
          return true;
        },
      },
    },
  });
}

/** Without AWS's managed policy, which would let each function write every log of the account. */
function createRole(scope: Construct, id: string, stores: Stores, name: FunctionName, logs: LogGroup): Role {
  const role = new Role(scope, id, { assumedBy: new ServicePrincipal('lambda.amazonaws.com') });
  const write = ['logs:CreateLogStream', 'logs:PutLogEvents'];
  role.addToPolicy(new PolicyStatement({ actions: write, resources: [logs.logGroupArn] }));
  for (const statement of statementsOf(PERMISSIONS[name], stores)) role.addToPolicy(statement);
  return role;
}
