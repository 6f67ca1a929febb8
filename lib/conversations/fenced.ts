/**
 * Words that are not the person's own, as a model reads them: between tags that they cannot end themselves, however they
 * write one.
 * @param of attributes of the tag, with a space before each.
 */
export function fenced(tag: keyof typeof TAGS, text: string, of = ''): string {
  return `<${tag}${of}>\n${text.replace(TAGS[tag], '&lt;')}\n</${tag}>`;
}

/** What begins or ends each. */
const TAGS = {
  quote: /<(?=[\s\p{Cc}\p{Cf}/]*quote)/giu,
  summary: /<(?=[\s\p{Cc}\p{Cf}/]*summary)/giu,
  conversation: /<(?=[\s\p{Cc}\p{Cf}/]*conversation)/giu,
};
