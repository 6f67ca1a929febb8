import type { Hono } from 'hono';
import { handle } from 'hono/aws-lambda';
import type { HttpFunction } from './functionUrl.ts';

/** A Hono app as a function behind a Function URL. */
export const functionOf = (hono: Hono) => handle(hono) as HttpFunction;
