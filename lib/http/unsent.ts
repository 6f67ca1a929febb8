/** Codes of errors that Node gives before a byte of a request has left: no address, no connection, no trust. */
const BEFORE_SENDING: ReadonlySet<string> = new Set([
  'ERR_INVALID_URL',
  ...['EAI_AGAIN', 'ENOTFOUND', 'ECONNREFUSED', 'EHOSTUNREACH', 'ENETUNREACH'],
  ...['CERT_HAS_EXPIRED', 'CERT_NOT_YET_VALID', 'ERR_TLS_CERT_ALTNAME_INVALID'],
  ...['DEPTH_ZERO_SELF_SIGNED_CERT', 'SELF_SIGNED_CERT_IN_CHAIN'],
  ...['UNABLE_TO_GET_ISSUER_CERT', 'UNABLE_TO_GET_ISSUER_CERT_LOCALLY', 'UNABLE_TO_VERIFY_LEAF_SIGNATURE'],
]);

/** Whether a request that failed with this code surely did not arrive, so that it may be made again (SPEC 13.6). */
export function isUnsent(code: string): boolean {
  return BEFORE_SENDING.has(code);
}
