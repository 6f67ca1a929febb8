import type {
  Code,
  Definition,
  Image,
  ImageReference,
  Link,
  LinkReference,
  List,
  ListItem,
  Nodes,
  Root,
  Table,
} from 'mdast';
import { fromMarkdown, type Options } from 'mdast-util-from-markdown';
import { gfmFromMarkdown } from 'mdast-util-gfm';
import { gfm } from 'micromark-extension-gfm';
import { NOTHING_TO_SEE } from './labels.ts';
import { linkView } from './links.ts';
import { isQuickToRead } from './markdownCost.ts';
import { rememberedText } from './remembered.ts';
import { isBlank, plainRich, type Rich, RichBuilder } from './rich.ts';
import { drawColumns } from './tables.ts';

/** Made once, when it is first used: to put the syntax together takes longer than to read a short text. */
let syntax: Options | undefined;

/**
 * Draws Markdown (CommonMark and GFM) as text with styles, the same for every app: lists with bullets, narrow tables in
 * columns, wide ones as lists, HTML as it is written but for `<br>`. Never throws; what cannot be drawn is shown as it is, and `…` where
 * there is nothing to see.
 */
export const drawMarkdown = rememberedText((markdown): Rich => {
  const drawn = draw(markdown);
  return isBlank(drawn.text) ? plainRich(NOTHING_TO_SEE) : drawn;
});

function draw(markdown: string): Rich {
  const source = markdown.toWellFormed().replaceAll('\r\n', '\n').replaceAll('\0', '\ufffd');
  const asWritten = plainRich(source);
  if (!isQuickToRead(source)) return asWritten;
  try {
    syntax ??= { extensions: [gfm()], mdastExtensions: [gfmFromMarkdown()] };
    const root = fromMarkdown(source, syntax);
    const rich = new Drawing(root).draw();
    return rich.text ? rich : asWritten;
  } catch {
    // Nested deeper than the stack is.
    return asWritten;
  }
}

/** What people read of a node, without formatting. */
function wordsOf(node: Nodes): string {
  if (node.type === 'break') return '\n';
  if (node.type === 'image' || node.type === 'imageReference') return node.alt ?? '';
  if (node.type === 'footnoteReference') return `[${node.label ?? node.identifier}]`;
  if (node.type === 'html') return htmlWords(node.value);
  if ('value' in node) return node.value;
  return 'children' in node ? node.children.map(wordsOf).join('') : '';
}

/** HTML as it is written, but for what models break lines by in a table's cells. */
function htmlWords(html: string): string {
  return /^<br\s*\/?>$/i.test(html) ? '\n' : html;
}

function contains(node: Nodes, isWanted: (node: Nodes) => boolean): boolean {
  return isWanted(node) || ('children' in node && node.children.some((child) => contains(child, isWanted)));
}

/** What is set off by its own look needs no blank line in a quotation. */
function quotedGap(before: Nodes, node: Nodes): string {
  return [before, node].some(({ type }) => SET_OFF.has(type)) ? '\n' : '\n\n';
}

const SET_OFF: ReadonlySet<Nodes['type']> = new Set(['code', 'table', 'blockquote']);

/** One pass over a parsed document. */
class Drawing {
  readonly #out = new RichBuilder();
  readonly #root: Root;
  readonly #definitions = new Map<string, Definition>();
  readonly #used = new Set<string>();
  #isInLink = false;
  /** How each kind of node is drawn; of any other its children are. */
  readonly #writers: { [T in Nodes['type']]?: (node: Extract<Nodes, { type: T }>) => void } = {
    text: ({ value }) => this.#out.add(value),
    html: ({ value }) => this.#out.add(htmlWords(value)),
    break: () => this.#out.add('\n'),
    thematicBreak: () => this.#out.add('———'),
    strong: (node) => this.#out.styled({ kind: 'bold' }, () => this.#inline(node)),
    emphasis: (node) => this.#out.styled({ kind: 'italic' }, () => this.#inline(node)),
    delete: (node) => this.#out.styled({ kind: 'strike' }, () => this.#inline(node)),
    heading: (node) => this.#out.styled({ kind: 'heading', depth: node.depth }, () => this.#inline(node)),
    inlineCode: ({ value }) => this.#out.styled({ kind: 'code' }, () => this.#out.add(value)),
    blockquote: (node) => this.#out.styled({ kind: 'quote' }, () => this.#blocks(node.children, quotedGap)),
    code: (node) => this.#code(node),
    list: (node) => this.#list(node),
    table: (node) => this.#table(node),
    link: (node) => this.#link(node),
    linkReference: (node) => this.#link(node),
    image: (node) => this.#image(node),
    imageReference: (node) => this.#image(node),
    definition: ({ label, identifier, url, title }) =>
      this.#out.add(`[${label ?? identifier}]: ${[url, title].filter(Boolean).join(' ')}`),
    footnoteReference: (node) => this.#out.add(wordsOf(node)),
    footnoteDefinition: (node) => {
      this.#out.add(`[${node.label ?? node.identifier}] `);
      this.#blocks(node.children, '\n');
    },
  };

  constructor(root: Root) {
    this.#root = root;
    this.#collect(root);
  }

  draw(): Rich {
    this.#blocks(this.#root.children, '\n\n');
    return this.#out.build();
  }

  #collect(node: Nodes): void {
    if (node.type === 'definition' && !this.#definitions.has(node.identifier)) {
      this.#definitions.set(node.identifier, node);
    }
    if (node.type === 'linkReference' || node.type === 'imageReference') this.#used.add(node.identifier);
    if ('children' in node) for (const child of node.children) this.#collect(child);
  }

  #blocks(nodes: readonly Nodes[], gap: string | ((before: Nodes, node: Nodes) => string)): void {
    let before: Nodes | undefined;
    for (const node of nodes) {
      if (node.type === 'definition' && this.#used.has(node.identifier)) continue;
      if (before) {
        const between = typeof gap === 'string' ? gap : gap(before, node);
        if (node.type === 'code' || node.type === 'table') this.#out.addVerbatim(between);
        else this.#out.add(between);
        // A heading stays with what it is the heading of.
        if (before.type !== 'heading') this.#out.border();
      }
      this.#node(node);
      before = node;
    }
  }

  #inline(node: Nodes): void {
    if ('children' in node) for (const child of node.children) this.#node(child);
  }

  #node(node: Nodes): void {
    const write = this.#writers[node.type] as ((node: Nodes) => void) | undefined;
    if (write) write(node);
    else this.#inline(node);
  }

  #code({ lang, value }: Code): void {
    const language = lang?.split(/\s/)[0];
    this.#out.styled({ kind: 'pre', ...(language && { language }) }, () => this.#out.addVerbatim(value));
  }

  #list(list: List): void {
    list.children.forEach((item, index) => {
      if (index > 0) {
        this.#out.add(list.spread ? '\n\n' : '\n');
        this.#out.border();
      }
      this.#item(item, list.ordered ? `${(list.start ?? 1) + index}. ` : '• ');
    });
  }

  #item(item: ListItem, marker: string): void {
    const box = item.checked === true ? '☑ ' : item.checked === false ? '☐ ' : marker;
    this.#out.add(box);
    this.#out.indented(box.length, () => this.#blocks(item.children, item.spread ? '\n\n' : '\n'));
  }

  #table(table: Table): void {
    const rows = table.children.map((row) => row.children.map(wordsOf));
    const hasLinks = contains(table, (node) => /^(link|image)/.test(node.type));
    const columns = hasLinks ? undefined : drawColumns(rows, table.align ?? []);
    if (columns === undefined) this.#wideTable(table);
    else this.#out.styled({ kind: 'pre' }, () => this.#out.addVerbatim(columns));
  }

  /** Each row as lines of head and value, which read well on a narrow screen. */
  #wideTable({ children: [head, ...rows] }: Table): void {
    const heads = head?.children ?? [];
    if (rows.length === 0) this.#cells(heads, []);
    rows.forEach((row, index) => {
      if (index > 0) {
        this.#out.add('\n\n');
        this.#out.border();
      }
      this.#cells(row.children, heads);
    });
  }

  #cells(cells: readonly Nodes[], heads: readonly Nodes[]): void {
    const filled = cells.flatMap((cell, i) => (contains(cell, hasWords) ? [{ cell, head: heads[i] }] : []));
    filled.forEach(({ cell, head }, index) => {
      if (index > 0) this.#out.add('\n');
      if (head && contains(head, hasWords)) {
        this.#out.styled({ kind: 'bold' }, () => this.#inline(head));
        this.#out.add(': ');
      }
      this.#inline(cell);
    });
  }

  #link(node: Link | LinkReference): void {
    const target = this.#targetOf(node);
    const label = wordsOf(node);
    this.#linked(label, target, () => (label.trim() ? this.#inline(node) : this.#out.add(target)));
  }

  /** An image is a link to it; inside a link it is its description. */
  #image(node: Image | ImageReference): void {
    const target = this.#targetOf(node);
    const label = node.alt?.trim() ? node.alt : /^data:/i.test(target) ? '🖼' : target;
    if (this.#isInLink) this.#out.add(label);
    else this.#linked(label, target, () => this.#out.add(label));
  }

  #targetOf(node: Link | Image | LinkReference | ImageReference): string {
    return 'url' in node ? node.url : (this.#definitions.get(node.identifier)?.url ?? '');
  }

  #linked(label: string, target: string, write: () => void): void {
    const view = linkView(label.trim() ? label : target, target);
    const outer = this.#isInLink;
    this.#isInLink = true;
    if (view.kind === 'linked' && !outer) this.#out.styled({ kind: 'link', url: view.url }, write);
    else write();
    this.#isInLink = outer;
    if (view.kind !== 'spelled') return;
    this.#out.add(' (');
    const { url, shown } = view;
    if (url && !outer) this.#out.styled({ kind: 'link', url }, () => this.#out.add(shown));
    else this.#out.add(shown);
    this.#out.add(')');
  }
}

function hasWords(node: Nodes): boolean {
  return node.type !== 'tableCell' && wordsOf(node).trim() !== '';
}
