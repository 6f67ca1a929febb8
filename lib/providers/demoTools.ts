import type { ToolSpec } from '../ports/engine.ts';

/** A call that the person's words ask for. `times`: in so many steps. */
interface NamedCall {
  name: string;
  input: unknown;
  times: number;
}

const MAX_TIMES = 200;
/** Only so much of a message is looked at. */
const MAX_CHARACTERS = 20_000;

/**
 * The offered tools that a message asks for: `use TOOL`, `use TOOL with {json}`, `use TOOL with {json} 3 times`, several in
 * one message. What cannot be read as JSON is the input as it was written.
 */
export function namedCalls(text: string, tools: readonly ToolSpec[]): NamedCall[] {
  if (tools.length === 0) return [];
  const words = text.slice(0, MAX_CHARACTERS);
  const asked = words.matchAll(/\buse\s+(?:the\s+tool\s+)?[`"“']?([\w-]{1,64})[`"”']?(\s+with\s+(?=\{))?/giu);
  const calls = [...asked].flatMap((match): NamedCall[] => {
    const tool = tools.find(({ name }) => name.toLowerCase() === match[1]?.toLowerCase());
    if (!tool) return [];
    const from = match.index + match[0].length;
    const json = match[2] === undefined ? '' : objectAt(words, from);
    const times = Number(
      /^\s+(\d{1,3})\s+times\b/u.exec(words.slice(from + json.length, from + json.length + 20))?.[1],
    );
    return [{ name: tool.name, input: inputOf(json), times: Math.min(times || 1, MAX_TIMES) }];
  });
  return calls.filter(({ name }, at) => calls.findIndex((one) => one.name === name) === at);
}

function inputOf(json: string): unknown {
  if (json === '') return {};
  try {
    return JSON.parse(json);
  } catch {
    return json;
  }
}

/** The object that begins here, up to the brace that closes it; the rest of the line if none does. */
function objectAt(text: string, from: number): string {
  let depth = 0;
  let isInString = false;
  for (let at = from; at < text.length; at++) {
    const character = text[at];
    if (isInString && character === '\\') at++;
    else if (character === '"') isInString = !isInString;
    else if (!isInString && character === '{') depth++;
    else if (!isInString && character === '}' && --depth === 0) return text.slice(from, at + 1);
  }
  return text.slice(from).split('\n', 1)[0] ?? '';
}
