import type { Nodes } from 'mdast';
import { fromMarkdown } from 'mdast-util-from-markdown';
import { gfmFromMarkdown } from 'mdast-util-gfm';
import { gfm } from 'micromark-extension-gfm';

/** What Teams' messages show of Markdown. All else a text could be read as is no way to show what was meant. */
const SHOWN = new Set<Nodes['type']>([
  ...(['root', 'paragraph', 'text', 'break', 'strong', 'emphasis', 'delete', 'link'] as const),
  ...(['inlineCode', 'code', 'blockquote'] as const),
]);

const parse = (text: string) => fromMarkdown(text, { extensions: [gfm()], mdastExtensions: [gfmFromMarkdown()] });

/** The words that people read of a message in Markdown; what is neither words nor shown stands as `⟨kind⟩`. */
export function shownText(text: string): string {
  return wordsOf(parse(text)).trim();
}

/** Kinds of formatting in the text, in order of their beginning. */
export function kindsIn(text: string): string[] {
  const kinds: string[] = [];
  const visit = (node: Nodes): void => {
    kinds.push(node.type);
    if ('children' in node) for (const child of node.children) visit(child);
  };
  visit(parse(text));
  return kinds;
}

/** What a text holds that Teams does not show, or that a model must not write. */
export function strangeIn(text: string): string[] {
  return kindsIn(text).filter((kind) => !SHOWN.has(kind as Nodes['type']));
}

function wordsOf(node: Nodes): string {
  if (!SHOWN.has(node.type)) return `⟨${node.type}⟩`;
  if (node.type === 'break') return '\n';
  if ('value' in node) return node.value;
  if (!('children' in node)) return '';
  const isBlock = node.type === 'root' || node.type === 'blockquote';
  return node.children.map(wordsOf).join(isBlock ? '\n\n' : '');
}
