import { expect, test } from 'vitest';
import { promptOf } from '../../lib/providers/aiSdkPrompt.ts';
import { plainSchema } from '../../lib/providers/toolSchema.ts';

const text = { type: 'string' };

test('SPEC 13.5: providers refuse every request with a tool whose schema has alternatives at its top', () => {
  const anyOf = [
    { properties: { url: text }, required: ['url'] },
    { properties: { id: text }, required: ['id'] },
  ];
  const inputSchema = {
    type: 'object',
    properties: { more: text },
    required: ['more'],
    anyOf,
    additionalProperties: false,
  };
  const flat = {
    ...{ type: 'object', properties: { url: text, id: text, more: text }, required: ['more'] },
    additionalProperties: false,
  };
  expect(plainSchema(inputSchema)).toEqual(flat);
  const tools = [{ name: 'read', description: 'Reads', inputSchema }];
  const sent = promptOf('anthropic', { model: 'm', system: '', messages: [{ role: 'user', text: 'hi' }], tools }).tools;
  expect(sent?.read?.inputSchema).toMatchObject({ jsonSchema: flat });
});

test('what all of them require is required; conditions go, what they name stays', () => {
  const allOf = [{ required: ['a'], properties: { a: text } }, { $ref: '#/$defs/b' }, 'rubbish'];
  const conditional = JSON.parse(
    '{"if": {"properties": {"a": {"const": "x"}}}, "then": {"properties": {"b": {"type": "string"}}}, "else": true, "not": {}}',
  );
  expect(plainSchema({ type: 'object', allOf, ...conditional, oneOf: 7 })).toEqual({
    ...{ type: 'object', properties: { a: text, b: text }, required: ['a'] },
  });
});

test('any other schema stays as it is, with alternatives further down too', () => {
  const schema = { type: 'object', properties: { to: { oneOf: [text, { type: 'null' }] } } };
  expect(plainSchema(schema)).toBe(schema);
});
