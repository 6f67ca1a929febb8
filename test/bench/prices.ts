/** AWS's prices in us-east-1, on demand, without free tiers, in dollars per million. */
export const PRICES = {
  /** A strongly consistent read of up to 4 KB. */
  readUnit: 0.125,
  /** A write of up to 1 KB, in the table or in an index. */
  writeUnit: 0.625,
  /** Lambda, ARM. */
  request: 0.2,
  gigabyteSecond: 13.33,
  /** A call of a standard queue, and what a message with a group costs more. */
  queueCall: 0.4,
  fairQueueCall: 0.1,
} as const;

/** What Lambda takes for one request of this length and memory. */
export const compute = (seconds: number, memoryMb: number) =>
  PRICES.request + (seconds * memoryMb * PRICES.gigabyteSecond) / 1_024;

/** The least for one webhook: 10 ms of 256 MB, one read, one write, one send. */
export const LEAST_WEBHOOK = compute(0.01, 256) + PRICES.readUnit + PRICES.writeUnit + PRICES.queueCall;

/** The least for a message and its turn: besides, a receive, a delete, a read, a write, and an instance that waits. */
export function leastTurn(seconds: number): number {
  return LEAST_WEBHOOK + 2 * PRICES.queueCall + compute(seconds, 256) + PRICES.readUnit + PRICES.writeUnit;
}
