import { startEmbeddedDynamo } from '../../local/embedded/dynamodb.ts';
import { startEmbeddedSqs } from '../../local/embedded/sqs.ts';

/** A process that runs both services in the directory that it is given, says where, and never ends by itself. */
const directory = process.argv[2] ?? '';
const dynamodb = await startEmbeddedDynamo({ port: 0, dataDir: `${directory}/dynamodb` });
const sqs = await startEmbeddedSqs({ port: 0, dataDir: `${directory}/sqs` });
process.stdout.write(`${JSON.stringify({ dynamodb: dynamodb.endpoint, sqs: sqs.endpoint, queueUrl: sqs.queueUrl })}\n`);
setInterval(() => undefined, 60_000);
