/**
 * The value of a sum such as `2 * (3 + 4)`, as text with at most 10 significant digits; undefined if it is none, or if it
 * divides by zero.
 */
export function calculate(expression: string): string | undefined {
  const tokens =
    expression
      .replaceAll('×', '*')
      .replaceAll('÷', '/')
      .match(/\d+(?:\.\d+)?|\S/gu) ?? [];
  const reader = new SumReader(tokens);
  const value = reader.sum();
  if (!reader.atEnd || !Number.isFinite(value)) return undefined;
  return String(Number(value.toPrecision(10)));
}

/** Reads from left to right; what does not parse is NaN. */
class SumReader {
  readonly #tokens: string[];
  #next = 0;

  constructor(tokens: string[]) {
    this.#tokens = tokens;
  }

  get atEnd(): boolean {
    return this.#next === this.#tokens.length;
  }

  sum(): number {
    let value = this.#product();
    for (let sign = this.#take('+', '-'); sign; sign = this.#take('+', '-')) {
      value += (sign === '+' ? 1 : -1) * this.#product();
    }
    return value;
  }

  #product(): number {
    let value = this.#factor();
    for (let sign = this.#take('*', '/'); sign; sign = this.#take('*', '/')) {
      const factor = this.#factor();
      value = sign === '*' ? value * factor : value / factor;
    }
    return value;
  }

  #factor(): number {
    if (this.#take('-')) return -this.#factor();
    if (!this.#take('(')) return Number(this.#tokens[this.#next++] ?? Number.NaN);
    const value = this.sum();
    return this.#take(')') ? value : Number.NaN;
  }

  #take(...wanted: string[]): string | undefined {
    const token = this.#tokens[this.#next];
    if (token === undefined || !wanted.includes(token)) return undefined;
    this.#next++;
    return token;
  }
}
