/** What a secret is bound to: it opens with exactly the same context only (SPEC 14.2). */
export interface SecretContext {
  tenant: string;
  /** The channel's id, or another name of the thing that it belongs to, such as `provider#NAME`. */
  owner: string;
}

/** Seals secrets at rest: KMS with the context as encryption context on AWS, a key file locally. */
export interface SecretBox {
  seal(plain: string, context: SecretContext): Promise<string>;
  /** @throws {ConchError} `unsealable` if the text was tampered with, or sealed for another context or key. */
  open(sealed: string, context: SecretContext): Promise<string>;
}
