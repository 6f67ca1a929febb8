/** An app's clock, in seconds: one goes by with each reading, as if a person had typed the message. */
export function typingClock(): () => number {
  let nowS = Math.floor(Date.now() / 1_000) - 100_000;
  return () => {
    nowS += 1;
    return nowS;
  };
}
