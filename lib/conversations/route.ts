import type { Command } from '../commands/command.ts';
import { expandedLength, type Filled, filledCommand, filledSkill } from '../commands/custom.ts';
import { type Asker, mayRun } from '../commands/gate.ts';
import { type Meaning, meaningOf, NO_OWN, type OwnCommands, useOf } from '../commands/meaning.ts';
import type { NoticeName } from '../commands/notices.ts';
import { parseChatCommand } from '../commands/parse.ts';
import { modest, sizeOf } from '../domain/content.ts';
import type { Content } from '../domain/events.ts';
import { MESSAGE_LIMIT } from '../domain/limits.ts';
import type { IncomingMessage } from '../ports/chatApp.ts';

/** What a message is to us. Pure; the same for every app (SPEC 3, 4). */
export type Route =
  /** Not ours: no event, no answer. */
  | { kind: 'silence' }
  | { kind: 'message'; content: Content }
  | { kind: 'command'; command: Command; args: string; quote?: Content['quote'] }
  /** One sentence of ours instead; `args` is what the sentence is about. */
  | { kind: 'notice'; notice: NoticeName; args: string; quote?: Content['quote'] };

type Said = Pick<IncomingMessage, 'typed' | 'content' | 'addressed' | 'namesUs' | 'onlyIf'>;

/** What the message is, for this person at this place. @param own what the tenant adds to the registry. */
export function route(message: Said, asker: Asker, own: OwnCommands = NO_OWN): Route {
  const parsed = message.typed === undefined ? undefined : parseChatCommand(message.typed);
  const meaning = parsed && meaningOf(parsed.name, own);
  const isProse = meaning ? false : parsed ? message.onlyIf === 'known' : message.onlyIf !== 'command';
  if (isProse) return message.addressed ? prose(message.content, asker) : { kind: 'silence' };
  if (!meaning) return unknown(message, asker);
  const permission = mayRun(useOf(meaning), asker);
  // A stranger's `/start` without a code is no claim: they hear what every stranger hears, and only once.
  const isGreeting = permission.ok && asker.role === 'stranger' && parsed.args === '';
  if (permission.ok && !isGreeting) return permitted(message, meaning, parsed.args, asker);
  if (permission.ok) return { kind: 'notice', notice: 'not-let-in', args: '' };
  if (permission.why === 'absent') return unknown(message, asker);
  if (permission.why === 'stranger') return { kind: 'notice', notice: 'not-let-in', args: '' };
  return { kind: 'notice', notice: 'not-permitted', args: permission.why };
}

/** A tenant's own command or skill is a message from here on (SPEC 10.3). */
function permitted(message: Said, meaning: Meaning, args: string, asker: Asker): Route {
  const { content, typed = '' } = message;
  switch (meaning.kind) {
    case 'row':
      if (standsAlone(meaning.row) && WORD.test(args)) return askBack('words-behind', message);
      return row(meaning.row, args, content);
    case 'skill':
      return filledIn(content, filledSkill(meaning.skill, typed));
    case 'prompt':
      // It goes to the model as typed (SPEC 4.5), which loads the prompt by a tool.
      return prose({ ...content, text: typed }, asker);
    case 'custom': {
      const length = expandedLength(meaning.custom.template, args) + typed.length;
      if (length > MESSAGE_LIMIT) return { kind: 'notice', notice: 'command-too-long', args: meaning.custom.name };
      return filledIn(content, filledCommand(meaning.custom, typed, args));
    }
  }
}

function row(command: Command, args: string, content: Content): Route {
  const { holds } = command.handler;
  if (holds && sizeOf(args, content.quote?.text) <= MESSAGE_LIMIT) {
    const length = sizeOf(...holds(args), content.quote?.text);
    if (length > MESSAGE_LIMIT) return { kind: 'notice', notice: 'command-too-long', args: command.name };
  }
  return sized({ kind: 'command', command, args, ...quoted(content) }, sizeOf(args, content.quote?.text));
}

/** The event holds both what the model reads and what was typed, so both count. */
function filledIn(content: Content, filled: Filled): Route {
  const length = sizeOf(filled.text, filled.command.display, content.quote?.text);
  if (filled.text.trim() === '') return { kind: 'notice', notice: 'nothing-to-send', args: filled.command.name };
  if (length > MESSAGE_LIMIT) return { kind: 'notice', notice: 'command-too-long', args: filled.command.name };
  return { kind: 'message', content: modest({ ...content, ...filled }) };
}

/** Dots or a smile after a command are no words of a message. */
const WORD = /[\p{L}\p{N}]/u;

function standsAlone({ argument }: Command): boolean {
  return argument.kind === 'none' && argument.alone === true;
}

function prose(content: Content, asker: Asker): Route {
  if (asker.role === 'stranger') return { kind: 'notice', notice: 'not-let-in', args: '' };
  return sized({ kind: 'message', content: modest(content) }, sizeOf(content.text, content.quote?.text));
}

/** What was quoted with a command goes on to what it sends (SPEC 3.3). */
function quoted(content: Content): Pick<Content, 'quote'> {
  const { quote } = modest(content);
  return quote ? { quote } : {};
}

function sized(otherwise: Route, length: number): Route {
  return length > MESSAGE_LIMIT ? tooLong(length) : otherwise;
}

function tooLong(length: number): Route {
  return { kind: 'notice', notice: 'message-too-long', args: String(length) };
}

/** An unknown name: in a group that does not name our bot it is another bot's (SPEC 4.3). */
function unknown(message: Said, asker: Asker): Route {
  if (asker.group && !message.namesUs) return { kind: 'silence' };
  if (asker.role === 'stranger') return { kind: 'notice', notice: 'not-let-in', args: '' };
  return askBack('unknown-command', message);
}

/** The words as they were typed, with choices of what they may have meant. */
function askBack(notice: NoticeName, { content, onlyIf, typed = '' }: Said): Route {
  const args = onlyIf === 'command' ? content.text : typed;
  return sized({ kind: 'notice', notice, args, ...quoted(content) }, sizeOf(args, content.quote?.text));
}
