/** What a secret is bound to: it opens with exactly the same context only (SPEC 14.2). */
export interface SecretContext {
  tenant: string;
  /** The channel's id, or another name of the thing that it belongs to, such as `providerOwner` gives. */
  owner: string;
}

/** Seals secrets at rest: KMS with the context as encryption context on AWS, a key file locally. */
export interface SecretBox {
  seal(plain: string, context: SecretContext): Promise<string>;
  /** @throws {ConchError} `unsealable` if the text was tampered with, or sealed for another context or key. */
  open(sealed: string, context: SecretContext): Promise<string>;
}

/** The owner of a provider's secrets. */
export const providerOwner = (name: string): string => `provider#${name}`;

/** The owner of a tool server's secrets. */
export const toolServerOwner = (name: string): string => `tool-server#${name}`;

/** A record's secrets as they are kept, each under its name. @throws as `SecretBox.seal`. */
export function sealAll(
  box: Pick<SecretBox, 'seal'>,
  plain: Readonly<Record<string, string>>,
  context: SecretContext,
): Promise<Record<string, string>> {
  return each(plain, (text) => box.seal(text, context));
}

/** The inverse of `sealAll`. @throws as `SecretBox.open`. */
export function openAll(
  box: Pick<SecretBox, 'open'>,
  sealed: Readonly<Record<string, string>>,
  context: SecretContext,
): Promise<Record<string, string>> {
  return each(sealed, (text) => box.open(text, context));
}

async function each(
  record: Readonly<Record<string, string>>,
  make: (text: string) => Promise<string>,
): Promise<Record<string, string>> {
  const entries = Object.entries(record).map(async ([name, text]) => [name, await make(text)] as const);
  return Object.fromEntries(await Promise.all(entries));
}
