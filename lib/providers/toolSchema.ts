import { isObject } from './calls.ts';

type Schema = Record<string, unknown>;

/** Keywords that providers refuse at the top of a tool's schema, and with it the whole request. */
const REFUSED_AT_TOP: ReadonlySet<string> = new Set(['oneOf', 'anyOf', 'allOf', 'not', 'enum', 'if', 'then', 'else']);

/**
 * The schema of a tool's input as every provider takes it: what its alternatives name stands in one object, so that one
 * tool does not spoil the requests of all. Its server still looks at what it gets.
 */
export function plainSchema(schema: Schema): Schema {
  if (!Object.keys(schema).some((key) => REFUSED_AT_TOP.has(key))) return schema;
  const branches = ['oneOf', 'anyOf', 'allOf'].flatMap((key) => branchesOf(schema[key]));
  const conditions = [schema.if, schema.then, schema.else].filter(isObject);
  const named = [...conditions, ...branches].map(({ properties }) => (isObject(properties) ? properties : {}));
  const all = branchesOf(schema.allOf).flatMap(requiredOf);
  const required = [...new Set([...requiredOf(schema), ...all])];
  const kept = Object.entries(schema).filter(([key]) => !REFUSED_AT_TOP.has(key));
  return {
    ...Object.fromEntries(kept),
    properties: Object.assign({}, ...named, isObject(schema.properties) ? schema.properties : {}),
    ...(required.length === 0 ? {} : { required }),
  };
}

function branchesOf(value: unknown): Schema[] {
  return Array.isArray(value) ? value.filter(isObject) : [];
}

function requiredOf({ required }: Schema): string[] {
  return Array.isArray(required) ? required.filter((name) => typeof name === 'string') : [];
}
