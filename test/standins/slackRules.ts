/**
 * What Slack's Web API refuses of a message, by the name of its error; undefined for what it takes. Lengths in UTF-16
 * units. Stricter than Slack: a text over 4,000 is refused (Slack splits it), and so is anything that would ping.
 */

export type Params = Record<string, unknown>;

const TEXT_LIMIT = 4_000;
const BLOCKS_LIMIT = 50;
const SECTION_LIMIT = 3_000;
const ACTIONS_LIMIT = 25;
const ID_LIMIT = 255;
const PARTS = new Set(['rich_text_section', 'rich_text_preformatted', 'rich_text_quote', 'rich_text_list']);
const LOOKS = new Set(['bold', 'italic', 'strike', 'code']);

export function refusedMessage({ text, blocks }: Params): string | undefined {
  if (blocks === undefined && (typeof text !== 'string' || text.trim() === '')) return 'no_text';
  if (text !== undefined && typeof text !== 'string') return 'invalid_arguments';
  if (typeof text === 'string') {
    if (!text.isWellFormed()) return 'invalid_arguments';
    if (text.length > TEXT_LIMIT) return 'msg_too_long';
    if (/<[^>]*>|&(?!lt;|gt;|amp;)/.test(text)) return 'stand_in_unescaped_text';
  }
  return blocks === undefined ? undefined : refusedBlocks(blocks);
}

function refusedBlocks(blocks: unknown): string | undefined {
  if (!Array.isArray(blocks) || blocks.length > BLOCKS_LIMIT) return 'invalid_blocks_format';
  const ids = blocks.flatMap(({ block_id: id }: Params) => (id === undefined ? [] : [id]));
  if (new Set(ids).size < ids.length || ids.some((id) => !isText(id, ID_LIMIT))) return 'invalid_blocks';
  return blocks.every(isBlock) ? undefined : 'invalid_blocks';
}

function isBlock(block: Params): boolean {
  if (block.type === 'rich_text') return isList(block.elements, isPart);
  if (block.type === 'section') return isPlainText(block.text, SECTION_LIMIT);
  if (block.type !== 'actions' || !isList(block.elements, isButton)) return false;
  const ids = (block.elements as Params[]).map(({ action_id: id }) => id);
  return ids.length <= ACTIONS_LIMIT && new Set(ids).size === ids.length;
}

function isPart({ type, elements, ...more }: Params): boolean {
  if (!PARTS.has(String(type)) || Object.keys(more).length > 0) return false;
  const isCode = type === 'rich_text_preformatted';
  return isList(elements, (one) => isElement(one) && !(isCode && one.style !== undefined));
}

function isElement({ type, text, url, style, ...more }: Params): boolean {
  if (Object.keys(more).length > 0 || !isText(text, 12_000) || !(text as string).isWellFormed()) return false;
  if (style !== undefined && !Object.entries(style as Params).every(([look, on]) => LOOKS.has(look) && on === true)) {
    return false;
  }
  if (type === 'text') return url === undefined;
  return type === 'link' && isText(url, 3_000) && /^https?:\/\//.test(url as string);
}

function isButton({ type, action_id: id, text, value, style, ...more }: Params): boolean {
  if (type !== 'button' || Object.keys(more).length > 0) return false;
  const isStyled = style === undefined || style === 'primary' || style === 'danger';
  return isStyled && isText(id, ID_LIMIT) && isText(value, 2_000) && isPlainText(text, 75);
}

function isPlainText(value: unknown, limit: number): boolean {
  const { type, text, ...more } = (value ?? {}) as Params;
  return type === 'plain_text' && isText(text, limit) && Object.keys(more).length === 0;
}

function isText(value: unknown, limit: number): boolean {
  return typeof value === 'string' && value.length > 0 && value.length <= limit;
}

function isList(value: unknown, isRight: (one: Params) => boolean): boolean {
  return Array.isArray(value) && value.length > 0 && value.every(isRight);
}

/** What a reader sees of a message: its blocks, or its text without any. */
export function shownWords({ text, blocks }: Params): string {
  const parts = Array.isArray(blocks) ? blocks.filter((block) => block.type !== 'actions').map(blockWords) : [];
  if (parts.length > 0) return parts.join('\n');
  return String(text ?? '')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&');
}

function blockWords({ type, elements, text }: { type: string; elements?: { elements: Params[] }[]; text?: Params }) {
  if (type !== 'rich_text') return String(text?.text ?? '');
  return (elements ?? []).map((part) => part.elements.map((one) => one.text).join('')).join('\n');
}

/** The buttons of a message. */
export function buttonsOf({ blocks }: Params): { text: string; value: string; actionId: string; blockId?: string }[] {
  const actions = Array.isArray(blocks) ? blocks.filter((block) => block.type === 'actions') : [];
  return actions.flatMap(({ block_id: blockId, elements }) =>
    elements.map((button: { text: { text: string }; value: string; action_id: string }) => ({
      ...{ text: button.text.text, value: button.value, actionId: button.action_id },
      ...(blockId === undefined ? {} : { blockId }),
    })),
  );
}
