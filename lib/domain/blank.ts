/**
 * What may stand before a command or a mention without being a word: white space, and the invisible characters that phones
 * and editors leave there (SPEC 3.1). Source of a regular expression with the flag `u`.
 */
export const BLANK = '[\\s\\u200b-\\u200f\\u2060\\ufeff]*';
