/** What Discord refuses of a message or a list of commands: the field and the words, or undefined. */

export type Params = Record<string, unknown>;

const MESSAGE_FIELDS = new Set(['content', 'flags', 'components', 'allowed_mentions', 'nonce', 'enforce_nonce']);
const EPHEMERAL = 64;
const SUPPRESS_EMBEDS = 4;

const objects = (value: unknown): Params[] => (Array.isArray(value) ? (value as Params[]) : []);
const isText = (value: unknown, least: number, most: number): value is string =>
  typeof value === 'string' && value.length >= least && value.length <= most && value.isWellFormed();

/** Nobody may be mentioned, ever: the stand-in asks for what only a careful bot sends. */
export function refusedMessage(body: Params, options: { edit?: boolean } = {}): string | undefined {
  const strange = Object.keys(body).find((name) => !MESSAGE_FIELDS.has(name));
  if (strange !== undefined) return `${strange}: the stand-in knows no such field`;
  const allowed = body.allowed_mentions as { parse?: unknown[] } | undefined;
  const isOnlyComponents = options.edit && body.content === undefined;
  if (!isOnlyComponents && allowed?.parse?.length !== 0) return 'allowed_mentions: {parse: []} is not there';
  return (
    (isOnlyComponents ? undefined : refusedContent(body.content)) ??
    refusedFlags(body.flags, options) ??
    refusedComponents(body.components) ??
    refusedNonce(body)
  );
}

function refusedContent(content: unknown): string | undefined {
  if (!isText(content, 1, 2000)) return 'content: Must be between 1 and 2000 in length.';
  return /^[\s\u200b\u2060]*$/.test(content) ? 'content: Cannot send an empty message' : undefined;
}

function refusedFlags(flags: unknown, { edit }: { edit?: boolean }): string | undefined {
  if (flags === undefined) return undefined;
  const known = edit ? SUPPRESS_EMBEDS : SUPPRESS_EMBEDS | EPHEMERAL;
  return typeof flags === 'number' && (flags & ~known) === 0 ? undefined : 'flags: not of a message like this';
}

function refusedNonce({ nonce, enforce_nonce: enforced }: Params): string | undefined {
  if (nonce === undefined) return undefined;
  return isText(nonce, 1, 25) && enforced === true ? undefined : 'nonce: Must be 25 or fewer in length.';
}

function refusedComponents(components: unknown): string | undefined {
  const rows = objects(components);
  if (rows.length > 5) return 'components: Must be 5 or fewer in length.';
  const buttons = rows.flatMap((row) => objects(row.components));
  if (rows.some((row) => row.type !== 1 || ![1, 2, 3, 4, 5].includes(objects(row.components).length))) {
    return 'components: A row has 1 to 5 buttons.';
  }
  const bad = buttons.find(
    ({ type, style, label, custom_id: id }) =>
      type !== 2 || ![1, 2, 3, 4].includes(Number(style)) || !isText(label, 1, 80) || !isText(id, 1, 100),
  );
  if (bad) return `components: ${JSON.stringify(bad)}`;
  const ids = buttons.map(({ custom_id: id }) => id);
  return new Set(ids).size === ids.length ? undefined : 'components: Component custom id cannot be duplicated';
}

const NAME = /^[-_'\p{L}\p{N}\p{sc=Deva}\p{sc=Thai}]{1,32}$/u;
const isName = (name: unknown): name is string =>
  typeof name === 'string' && NAME.test(name) && name === name.toLowerCase();

/** The whole list, as it is put. */
export function refusedCommands(list: unknown): string | undefined {
  if (!Array.isArray(list)) return 'Must be a list.';
  const commands = objects(list);
  for (const [type, most] of [
    [1, 100],
    [2, 15],
    [3, 15],
  ] as const) {
    const names = commands.filter((one) => (one.type ?? 1) === type).map(({ name }) => name);
    if (names.length > most) return `Maximum number of application commands reached (${most}).`;
    if (new Set(names).size !== names.length) return 'Application command names must be unique';
  }
  return commands.map(refusedCommand).find((refusal) => refusal !== undefined);
}

function refusedCommand(command: Params): string | undefined {
  const { type = 1, name, description, options, contexts } = command;
  const isKnown =
    contexts === undefined || (Array.isArray(contexts) && contexts.every((one) => [0, 1, 2].includes(one)));
  if (!isKnown) return 'contexts: unknown';
  if (type !== 1) {
    return isText(name, 1, 32) && !description && options === undefined
      ? undefined
      : `a menu of messages: ${String(name)}`;
  }
  if (!isName(name)) return `name: Command name is invalid: ${String(name)}`;
  if (!isText(description, 1, 100)) return `description of ${name}: Must be between 1 and 100 in length.`;
  if (objects(options).length > 25) return `options of ${name}: Must be 25 or fewer in length.`;
  const bad = objects(options)
    .map(refusedOption)
    .find((refusal) => refusal !== undefined);
  return bad ?? (sizeOf(command) > 8000 ? `${name}: Combined length must be 8000 or fewer.` : undefined);
}

function refusedOption({ type, name, description, choices, autocomplete }: Params): string | undefined {
  if (type !== 3) return 'the stand-in knows text alone';
  if (!isName(name) || !isText(description, 1, 100)) return `an option: ${String(name)}`;
  if (choices !== undefined && autocomplete) return `${name}: choices and autocomplete exclude each other`;
  const list = objects(choices);
  const isTaken = list.length <= 25 && list.every((one) => isText(one.name, 1, 100) && isText(one.value, 1, 100));
  return isTaken ? undefined : `choices of ${name}`;
}

function sizeOf(value: unknown): number {
  if (Array.isArray(value)) return value.reduce((sum: number, one) => sum + sizeOf(one), 0);
  if (typeof value !== 'object' || value === null) return 0;
  return Object.entries(value).reduce(
    (sum, [key, inner]) =>
      sum + (['name', 'description', 'value'].includes(key) ? String(inner).length : sizeOf(inner)),
    0,
  );
}
