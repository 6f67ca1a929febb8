import type { LambdaFunctionURLEvent } from 'aws-lambda';
import type { WebhookRequest } from '../lib/ports/chatApp.ts';

/** What a function behind a Function URL answers. */
export interface HttpAnswer {
  statusCode: number;
  headers?: Record<string, string>;
  cookies?: string[];
  body?: string;
  isBase64Encoded?: boolean;
}

/** A function behind a Function URL, as Lambda calls it. */
export type HttpFunction = (event: LambdaFunctionURLEvent) => Promise<HttpAnswer>;

/** What a function was invoked with, if it is a request; whoever invokes it otherwise may give anything. */
export function urlEvent(event: unknown): LambdaFunctionURLEvent | undefined {
  const given = event as Partial<Record<keyof LambdaFunctionURLEvent, unknown>> | null | undefined;
  const { http } = (given?.requestContext ?? {}) as { http?: { method?: unknown } | null };
  if (typeof given?.rawPath !== 'string' || typeof http?.method !== 'string') return undefined;
  const headers = given.headers ?? {};
  const body = typeof given.body === 'string' ? given.body : '';
  return { ...given, headers, body } as LambdaFunctionURLEvent;
}

/** The request as verifiers need it: the body's bytes as they came. */
export function requestOf({ headers, body = '', isBase64Encoded }: LambdaFunctionURLEvent): WebhookRequest {
  return { headers: headers as Record<string, string>, body: Buffer.from(body, isBase64Encoded ? 'base64' : 'utf8') };
}

/** An answer of JSON. */
export function json(statusCode: number, body: unknown, headers?: Record<string, string>): HttpAnswer {
  return { statusCode, headers: { 'content-type': 'application/json', ...headers }, body: JSON.stringify(body) };
}

/** What is answered to whoever asks an app's function for something else than what it has. */
export const nothingHere = (app: string) => ({
  message: `There is nothing here; webhooks are POST /${app}/<channelId>.`,
});
