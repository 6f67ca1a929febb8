/**
 * The `fetch` of every provider. Redirects are refused: `fetch` would carry a key in a header such as `x-api-key` along
 * to the other host.
 */
export const providerFetch: typeof fetch = (input, init) => fetch(input, { ...init, redirect: 'error' });
