/** Which servers of others Conch may call that a tenant names, such as its tool servers. */
export interface OutwardGuard {
  /** Why an address is refused, in words; undefined if it may be called. */
  fault: (url: URL) => string | undefined;
  /** Whether a connection for this URL may be made to this IP address, which its host has turned out to have. */
  allows: (url: URL, address: string) => boolean;
}
