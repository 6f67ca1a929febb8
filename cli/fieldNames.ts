import { type Arguments, optionName } from './arguments.ts';
import { LISTS, THINGS } from './things.ts';

/** Of what takes any option: fields that stand in the command as words, or that no option sets. */
const NO_OPTION: ReadonlySet<string> = new Set(['body', 'menu', 'name', 'webhook', 'webhookSecret']);

/**
 * A field of the API as whoever wrote this command knows it: as the option that sets it (`--api-key`), or as it is where
 * none does (SPEC 14.1). It undoes what `Thing.body` makes of options.
 */
export function asTyped(field: string, args: Arguments): string {
  const [verb = '', thing = ''] = args.words;
  if (field === 'tenant') return thing === 'tenant' ? field : '--tenant';
  const option = IN_BODY[thing]?.(field, args) ?? field.split('.', 1)[0] ?? field;
  return isOption(option, verb, thing) ? `--${optionName(option)}` : field;
}

function isOption(name: string, verb: string, thing: string): boolean {
  if (!/^[a-z][\w-]*$/iu.test(name)) return false;
  const { query = [] } = LISTS[`${verb} ${thing}`] ?? LISTS[verb] ?? {};
  if (query.includes(name)) return true;
  if (verb !== 'put') return false;
  const { fields = [], query: flags = [] } = THINGS[thing] ?? {};
  if (flags.includes(name)) return true;
  return fields === 'any' ? !NO_OPTION.has(name) : fields.includes(name);
}

/** Where a thing's body is not its options as they are: the option behind a field, if it is another. */
const IN_BODY: Record<string, (field: string, args: Arguments) => string | undefined> = {
  provider(field) {
    if (field === 'baseURL') return 'base-url';
    return behind('settings.', field);
  },
  command: (field) => behind('meta.', field),
  'tool-server'(field, { options }) {
    if (field === 'url') return 'address';
    const header = behind('headers.', field);
    if (header === undefined) return undefined;
    return header === 'authorization' && options.token !== undefined ? 'token' : `header-${header}`;
  },
};

function behind(start: string, field: string): string | undefined {
  return field.startsWith(start) ? field.slice(start.length) : undefined;
}
