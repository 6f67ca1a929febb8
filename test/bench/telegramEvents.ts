import type { LambdaEvent } from 'hono/aws-lambda';
import { person, Updates } from '../standins/telegram.ts';
import { typingClock } from './typingClock.ts';
import { CHANNEL_ID, WEBHOOK_SECRET } from './world.ts';

export const SECRET_HEADER = 'x-telegram-bot-api-secret-token';

const updates = new Updates(typingClock());

/** A person's text in their private chat, as Telegram posts it. */
export function updateBody(chat: number, text: string): Buffer {
  const from = { ...person(chat, 'Ana'), username: 'ana_lab', language_code: 'en' };
  return Buffer.from(JSON.stringify(updates.privateMessage(text, from)));
}

/** The same as a Function URL gives it to the function. */
export function webhookEvent(chat: number, text: string): LambdaEvent {
  const path = `/telegram/${CHANNEL_ID}`;
  const domain = 'abcdefghijklmnopqrstuvwxyz012345.lambda-url.us-east-1.on.aws';
  const body = updateBody(chat, text);
  return {
    ...{ version: '2.0', routeKey: '$default', rawPath: path, rawQueryString: '' },
    headers: {
      ...{
        'content-type': 'application/json',
        'content-length': String(body.length),
        host: domain,
        'accept-encoding': 'gzip, deflate',
      },
      ...{ [SECRET_HEADER]: WEBHOOK_SECRET, 'x-forwarded-for': '91.108.5.1', 'x-forwarded-proto': 'https' },
    },
    body: body.toString('base64'),
    isBase64Encoded: true,
    requestContext: {
      ...{ accountId: 'anonymous', apiId: 'bench', authentication: null, authorizer: {}, domainName: domain },
      ...{ domainPrefix: 'bench', requestId: 'bench', routeKey: '$default', stage: '$default', timeEpoch: 0, time: '' },
      http: { method: 'POST', path, protocol: 'HTTP/1.1', sourceIp: '91.108.5.1', userAgent: '' },
    },
  };
}
