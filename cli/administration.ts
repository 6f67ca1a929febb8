import { type ApiRequest, callApi } from './api.ts';
import { type Arguments, allowOptions } from './arguments.ts';
import type { Connection } from './connection.ts';
import { Failure, usage } from './failure.ts';
import { asTyped } from './fieldNames.ts';
import { type MenuReport, menuLines } from './menuLines.ts';
import { fillIn, type SecretSources } from './secretInput.ts';
import { shown } from './show.ts';
import { LISTS, type List, THINGS, type Thing } from './things.ts';

/** Options of every command. */
const COMMON = ['url', 'tenant'];
/** The tenant of a command that names none. */
export const DEFAULT_TENANT = 'local';

type Verb = Thing['verbs'][number];

/** Whether this word begins a command of the administration. */
export function isAdministration(word: string): boolean {
  return Object.hasOwn(LISTS, word) || isVerb(word);
}

function isVerb(word: string | undefined): word is Verb {
  return word === 'get' || word === 'put' || word === 'delete' || word === 'refresh';
}

/**
 * The request that a command stands for.
 * @param tenant the tenant that it is about unless it says otherwise.
 * @throws {Failure} if the command is not written as it has to be.
 */
export function requestOf(args: Arguments, tenant = DEFAULT_TENANT): ApiRequest {
  const [first = '', second = '', ...rest] = args.words;
  const about = encodeURIComponent(args.options.tenant ?? tenant);
  if (isVerb(first)) return thingRequest(args, about, first, second, rest);
  const name = [`${first} ${second}`, first].find((one) => Object.hasOwn(LISTS, one));
  const list = name === undefined ? undefined : LISTS[name];
  if (name === undefined || !list) throw usage(`There is no command “${first}”.`);
  return listRequest(args, about, name, list);
}

function listRequest(args: Arguments, tenant: string, name: string, list: List): ApiRequest {
  const { query = [] } = list;
  allowOptions(args, [...COMMON, ...query]);
  const path = list.path(tenant, named(name, list.words, args.words.slice(name.split(' ').length)));
  const given = query.flatMap((key) =>
    args.options[key] === undefined ? [] : [[key, args.options[key]] as [string, string]],
  );
  return { method: 'GET', path: given.length > 0 ? `${path}?${new URLSearchParams(given)}` : path };
}

function thingRequest(args: Arguments, tenant: string, verb: Verb, name: string, words: string[]): ApiRequest {
  const thing = Object.hasOwn(THINGS, name) ? THINGS[name] : undefined;
  if (!thing) {
    const possible = Object.keys(THINGS).filter((one) => THINGS[one]?.verbs.includes(verb));
    throw usage(`conch ${verb} wants one of: ${possible.join(', ')}.`);
  }
  if (!thing.verbs.includes(verb))
    throw usage(`conch ${verb} ${name} is not possible; only ${thing.verbs.join(', ')}.`);
  const path = thing.path(tenant, named(`${verb} ${name}`, thing.words, words));
  if (verb !== 'put') {
    allowOptions(args, COMMON);
    return verb === 'refresh' ? { method: 'POST', path: `${path}/refresh` } : { method: verb.toUpperCase(), path };
  }
  const { fields = [], body = (options: Record<string, string>) => options } = thing;
  if (fields !== 'any') allowOptions(args, [...COMMON, ...fields]);
  const { url: _url, tenant: _tenant, ...own } = args.options;
  const asked = (thing.query ?? []).filter((flag) => args.flags.has(flag)).map((flag) => `${flag}=true`);
  return { method: 'PUT', path: [path, ...asked].join('?'), body: body(own, args.flags) };
}

/** The words, as many as there have to be. */
function named(command: string, wanted: readonly string[], given: readonly string[]): readonly string[] {
  if (given.length === wanted.length && given.every(Boolean)) return given;
  throw usage(`Write: conch ${[command, ...wanted].join(' ')}`);
}

/** Runs a command of the administration and gives what to print. */
export async function administrate(args: Arguments, connection: Connection, sources: SecretSources): Promise<string> {
  const filled = { ...args, options: await fillIn(args.options, sources) };
  const request = requestOf(filled, sources.env.CONCH_TENANT || undefined);
  const [verb, thing, name] = args.words;
  if (verb === 'delete' && thing === 'tenant' && !args.flags.has('yes')) {
    throw new Failure(`This deletes all of the tenant “${name}”, its conversations too. Add --yes to do it.`, 2);
  }
  const answer = await callApi(connection, request, (field) => asTyped(field, args));
  const isJson = args.flags.has('json') || (verb !== undefined && LISTS[verb]?.json === true);
  if (isJson) return answer === undefined ? '' : JSON.stringify(answer, undefined, 2);
  if (answer === undefined) return 'Done.';
  return [...about(answer), ...claimAdvice(answer), ...installAdvice(answer), ...defaultAdvice(args, answer)].join(
    '\n\n',
  );
}

/** The answer; of menus only what is to be said. */
function about(answer: unknown): string[] {
  if (Array.isArray(answer) || !('menus' in (answer as object))) return [shown(answer)];
  const { menus, ...rest } = answer as { menus: MenuReport[] };
  return [Object.keys(rest).length === 0 ? 'Done.' : shown(rest), ...menuLines(menus)];
}

/** Where an app that may be in many workspaces is installed. */
function installAdvice(answer: unknown): string[] {
  const { installUrl } = answer as { installUrl?: string };
  return installUrl === undefined ? [] : [`To install it in a workspace, open ${installUrl}`];
}

/** Who goes on answering after a provider was put that is not the tenant's default (SPEC 14.4). */
function defaultAdvice({ words: [verb, thing, name], options }: Arguments, answer: unknown): string[] {
  if (verb !== 'put' || thing !== 'provider' || (answer as { default?: boolean }).default !== false) return [];
  const tenant = options.tenant === undefined ? '' : ` --tenant ${options.tenant}`;
  return [
    `Chats in which nobody has picked a model go on with the default that conch providers${tenant} shows.\n` +
      `To make this one the default, with whatever other settings are to stay: conch put settings${tenant} --model ${name}`,
  ];
}

/** How to become the owner of a channel that was just connected (SPEC 9.2). */
function claimAdvice(answer: unknown): string[] {
  const { claimCommand, claimLink } = answer as { claimCommand?: string; claimLink?: string };
  if (claimCommand === undefined) return [];
  const how = claimLink === undefined ? `send the bot ${claimCommand}` : `open ${claimLink}`;
  return [`To become the owner of this channel, ${how} within 24 hours.`];
}
