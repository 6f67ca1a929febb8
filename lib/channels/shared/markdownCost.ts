/** Longer texts are not parsed. */
const PARSE_LIMIT_CHARS = 200_000;
/** A line that opens this many lists or quotations at once, which nobody writes and the parser takes long for. */
const TOO_DEEP = /^(?:[ \t]*(?:[>*+-]|\d{1,9}[.)])){60}/m;

/** For each line and each of these signs the parser takes some time. */
const LINES_LIMIT = 4_000;
const SIGNS_LIMIT = 8_000;
const SIGNS = /[`*_~[\]|<>&\\!]|[-+] |\d[.)] /g;

/** For the marks of emphasis and links it takes a time that grows with the square of their number in a block. */
const MARKS = /[*_~[]/g;
/** So it does for the quotations of a text, about six times as long. */
const QUOTATION = /^[ \t]*(?:[*+-]|\d{1,9}[.)])?[ \t]*>/;
const QUOTATION_SQUARES = 6;
const SQUARES_LIMIT = 2_000_000;
/** Where a block surely ends: at a blank line, and before an item that may interrupt a paragraph. */
const BLOCKS = /\n[ \t]*\n|\n(?= {0,3}[*+-] {1,4}\S)/;

/** Whether a text's Markdown is read within some hundred milliseconds: while it is, the process does nothing else. */
export function isQuickToRead(markdown: string): boolean {
  if (markdown.length > PARSE_LIMIT_CHARS || TOO_DEEP.test(markdown)) return false;
  const lines = markdown.split('\n');
  if (lines.length > LINES_LIMIT || count(markdown, SIGNS) > SIGNS_LIMIT) return false;
  const squares = markdown.split(BLOCKS).reduce((sum, block) => sum + count(block, MARKS) ** 2, 0);
  return squares + QUOTATION_SQUARES * quotations(lines) ** 2 <= SQUARES_LIMIT;
}

function count(text: string, what: RegExp): number {
  return text.match(what)?.length ?? 0;
}

/** Quotations that begin: lines of one that follow each other count once. */
function quotations(lines: readonly string[]): number {
  return lines.filter((line, n) => QUOTATION.test(line) && !(n > 0 && QUOTATION.test(lines[n - 1] ?? ''))).length;
}
