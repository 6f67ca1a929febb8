/**
 * Shapes of what apps deliver. A shape looks at a value where it stands and copies nothing, so that fields which it does
 * not name are passed over, and a webhook does not pay for a payload's many absent fields.
 */

/** Gives the paths of what does not fit; `NONE` if all does. `T` is what the value is then. */
export type Shape<T> = ((value: unknown) => readonly string[]) & { readonly fitting?: T };

/** What fits a shape. */
export type Fitting<S> = S extends Shape<infer T> ? T : never;

type Fields = Record<string, Shape<unknown>>;
type OptionalName<F extends Fields> = { [N in keyof F]: undefined extends Fitting<F[N]> ? N : never }[keyof F];

/** An object with these fields, and any others. */
export type ObjectOf<F extends Fields> = { [N in Exclude<keyof F, OptionalName<F>>]: Fitting<F[N]> } & {
  [N in OptionalName<F>]?: Fitting<F[N]>;
} & { [more: string]: unknown };

const NONE: readonly string[] = [];
const HERE: readonly string[] = [''];

function where<T>(fits: (value: unknown) => boolean): Shape<T> {
  return (value) => (fits(value) ? NONE : HERE);
}

export const anything = where<unknown>(() => true);
/** What nothing fits, such as the elements of a list that has to be empty. */
export const nothing = where<never>(() => false);
export const boolean = where<boolean>((value) => typeof value === 'boolean');
export const number = where<number>(Number.isFinite);
export const integer = where<number>(Number.isSafeInteger);
export const string = where<string>((value) => typeof value === 'string');
export const scalar: Shape<string | number | boolean> = where(
  (value) => typeof value === 'string' || typeof value === 'boolean' || Number.isFinite(value),
);

/** A whole number that is not less. */
export function integerFrom(least: number): Shape<number> {
  return where((value) => Number.isSafeInteger(value) && (value as number) >= least);
}

/** A text of which this is true. */
export function stringThat(fits: (text: string) => boolean): Shape<string> {
  return where((value) => typeof value === 'string' && fits(value));
}

export function matching(pattern: RegExp): Shape<string> {
  return stringThat((text) => pattern.test(text));
}

export function oneOf<const T extends string | number>(values: readonly T[]): Shape<T> {
  return where((value) => values.includes(value as T));
}

export function optional<T>(shape: Shape<T>): Shape<T | undefined> {
  return (value) => (value === undefined ? NONE : shape(value));
}

/** Absent or null. */
export function nullish<T>(shape: Shape<T>): Shape<T | null | undefined> {
  return (value) => (value === undefined || value === null ? NONE : shape(value));
}

export function object<F extends Fields>(fields: F): Shape<ObjectOf<F>> {
  const entries = Object.entries(fields);
  return (value) => (isObject(value) ? within(entries, value) : HERE);
}

/** An object that holds the same at any name. */
export function record<T>(shape: Shape<T>): Shape<Record<string, T>> {
  return (value) =>
    isObject(value)
      ? within(
          Object.keys(value).map((name) => [name, shape] as const),
          value,
        )
      : HERE;
}

export function array<T>(shape: Shape<T>): Shape<T[]> {
  return (value) => {
    if (!Array.isArray(value)) return HERE;
    const faults = value.flatMap((one, n) => shape(one).map((path) => joined(String(n), path)));
    return faults.length > 0 ? faults : NONE;
  };
}

/** The value as what the shape says, or the paths of what does not fit; the value itself has the path ''. */
export function shaped<T>(shape: Shape<T>, value: unknown): { ok: true; value: T } | { ok: false; paths: string[] } {
  const paths = shape(value);
  return paths.length > 0 ? { ok: false, paths: [...paths] } : { ok: true, value: value as T };
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function within(entries: readonly (readonly [string, Shape<unknown>])[], value: Record<string, unknown>) {
  let faults = NONE;
  for (const [name, shape] of entries) {
    const inner = shape(value[name]);
    if (inner.length > 0) faults = [...faults, ...inner.map((path) => joined(name, path))];
  }
  return faults;
}

function joined(name: string, path: string): string {
  return path === '' ? name : `${name}.${path}`;
}
