import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { HttpFunction } from '../../functions/functionUrl.ts';
import { serve } from '../../local/functionUrl.ts';

/** A function behind an address, as its Function URL is one. */
export async function listenTo(handler: HttpFunction): Promise<{ url: string; close(): Promise<void> }> {
  const server = createServer((request, response) => void serve(handler, request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const close = () => new Promise<void>((resolve) => server.close(() => resolve()));
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, close };
}

/** Asks a function once. */
export async function ask(handler: HttpFunction, path: string, request: RequestInit): Promise<Response> {
  const { url, close } = await listenTo(handler);
  try {
    const response = await fetch(`${url}${path}`, { ...request, headers: { ...request.headers, connection: 'close' } });
    const text = await response.text();
    const { status, headers } = response;
    return new Response(text || null, { status, headers });
  } finally {
    await close();
  }
}
