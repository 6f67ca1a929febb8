import type { Handler } from '../commands/command.ts';
import { handlerNamed, NOTICES } from '../commands/notices.ts';
import { closedTo } from '../domain/access.ts';
import { type Base, decideMessage } from '../domain/decide.ts';
import type { Delivery, Draft, Person } from '../domain/events.ts';
import { remembers } from '../domain/ring.ts';
import type { State } from '../domain/state.ts';
import type { ChatApp, Incoming, IncomingMessage, WebhookRequest } from '../ports/chatApp.ts';
import type { StoredEvent } from '../ports/log.ts';
import { recordWriter } from './access.ts';
import { askOwner, willAsk } from './accessRequests.ts';
import { Answers } from './answers.ts';
import { type Appended, type AppendOutcome, stateOf } from './append.ts';
import { mayPick, typedChoice } from './choices.ts';
import { completions } from './completions.ts';
import { addressed, laterTo, releaseDropped } from './deferred.ts';
import type { WebhookDeps } from './deps.ts';
import { appendOnce, eventAgain, eventOfDelivery } from './duplicates.ts';
import { carryOut } from './effects.ts';
import { answering, baseOf, type Heard, isOfStranger, pickOr } from './heard.ts';
import { appendPermitted, type Permits } from './personRate.ts';
import { prepared } from './prepare.ts';
import { press } from './press.ts';
import { noteMembership } from './reach.ts';
import { replyAsIf, replyTo } from './replies.ts';
import { type Route, route } from './route.ts';
import { enqueueIfOwed, openChannelById, placeRef, type Scene, sceneOf, type Taken } from './scene.ts';
import { sendReply } from './sendReply.ts';
import { mayRefuse, refused } from './telling.ts';
import { type Admitted, admit } from './tenantLimits.ts';
import { channelOfRequest, uninstall } from './workspaces.ts';

/** What the webhook answers the app. */
export interface WebhookResponse {
  status: number;
  /** For an administrator who tries the address by hand; the apps ignore it. */
  message: string;
  /** What the app wants to be answered, in the message's place. */
  body?: Record<string, unknown>;
}

const OK: WebhookResponse = { status: 200, message: 'ok' };

/** How far a request has come: what can be answered if it takes longer than the app waits. */
export interface Progress {
  /** The request comes from the app. */
  verified?: true;
  /** A message is in the log: what is left to do may go on behind this answer. */
  taken?: WebhookResponse;
}

/** The one way in for everything that people do in chat apps: verify, read, decide, append, enqueue (DESIGN 1). */
export class Ingest {
  readonly #deps: WebhookDeps;
  readonly #answers = new Answers();

  constructor(deps: WebhookDeps) {
    this.#deps = deps;
  }

  /**
   * Takes one webhook request for a channel.
   * @param progress is kept up to date meanwhile.
   * @throws if an append is not known to have happened; the app then delivers again (DESIGN 3, Outbox).
   */
  async handle(
    app: ChatApp,
    channelId: string,
    request: WebhookRequest,
    progress: Progress = {},
  ): Promise<WebhookResponse> {
    const { logger, runtime } = this.#deps;
    const verify: Taken['verify'] = (as) => app.verify(request, as, runtime.now());
    let channel = await openChannelById(this.#deps, app, channelId);
    let verified = channel && (await verify(channel));
    if (!verified?.ok) {
      // What is in memory may be older than a channel that was just connected, or whose secret was rotated.
      channel = await openChannelById(this.#deps, app, channelId, { fresh: true });
      verified = channel && (await verify(channel));
    }
    if (!channel || !verified) return { status: 404, message: `There is no ${app.name} channel here.` };
    if (!verified.ok) {
      logger.warn('webhook.refused', { app: app.name, reason: verified.reason });
      return REFUSED;
    }
    progress.verified = true;
    let response = OK;
    const at = await channelOfRequest(this.#deps, app, channel, request.body);
    if (!at) return OK;
    for (const incoming of app.read(request.body, at, runtime.now())) {
      const one = await this.#one(app, { channel: at, verify }, incoming, progress);
      if (one.status !== 200 || one.body) response = one;
    }
    return response;
  }

  /** Where people see the HTTP answer, all that this delivery sends goes by the app's responder. */
  async #one(app: ChatApp, taken: Taken, incoming: Incoming, progress: Progress): Promise<WebhookResponse> {
    const responder = app.responder?.(taken.channel, incoming);
    const inLog = () => {
      responder?.defer();
      progress.taken = { ...OK, ...responder?.answer() };
    };
    if (!responder) return this.#dealWith(app, taken, incoming, inLog);
    if (incoming.kind === 'completion') responder.suggest(await completions(this.#deps, app, taken, incoming));
    const through = { ...app, sender: () => responder };
    const response = await this.#dealWith(through, taken, incoming, inLog);
    return response.status === 200 && !response.body ? { ...response, ...responder.answer() } : response;
  }

  async #dealWith(app: ChatApp, taken: Taken, incoming: Incoming, inLog: () => void): Promise<WebhookResponse> {
    switch (incoming.kind) {
      case 'malformed':
        this.#deps.logger.warn('webhook.malformed', { app: app.name, reason: incoming.reason });
        return { status: 400, message: incoming.reason };
      case 'message':
        return this.#message(app, taken, incoming, inLog);
      case 'press':
        return ANSWERS[await press({ ...this.#deps, answers: this.#answers }, app, taken, incoming)];
      case 'membership':
        this.#deps.logger.info('webhook.membership', { app: app.name, change: incoming.change });
        await noteMembership(this.#deps, taken.channel, incoming);
        return OK;
      case 'uninstalled':
        this.#deps.logger.info('webhook.uninstalled', { app: app.name });
        await uninstall(this.#deps, app, taken.channel, incoming.workspaces);
        return OK;
      case 'completion':
        return OK;
      case 'challenge':
        return { ...OK, body: incoming.answer };
      case 'ignored':
        this.#deps.logger.info('webhook.ignored', { app: app.name, reason: incoming.reason });
        return OK;
    }
  }

  /** @param inLog is called once the message is in the log, unless its answer is the HTTP answer. */
  async #message(app: ChatApp, taken: Taken, message: IncomingMessage, inLog: () => void): Promise<WebhookResponse> {
    const { log } = this.#deps;
    const group = message.to.group === true;
    const place = placeRef(taken.channel, message.to, message.person.id);
    const [newest, scene] = await Promise.all([
      log.newest(place),
      sceneOf(this.#deps, app, taken, { place, person: message.person.id, group }),
    ]);
    if (typeof scene === 'string') return ANSWERS[scene];
    const said = route(message, scene.asker, scene.tenant);
    if (said.kind === 'silence' && !mayPick(app, message)) return OK;
    const state = await stateOf(log, place, newest);
    const picked = await typedChoice(this.#deps, scene, state, message);
    const way = said.kind === 'silence' ? answering(scene, state, message, picked) : said;
    if (way.kind === 'silence') return OK;
    const base = baseOf(message, way);
    if (!isOfStranger(way)) return this.#take({ scene, message, state, way, base, picked }, inLog);
    return this.#takeOfStranger({ scene, message, state, way, base, picked }, inLog);
  }

  /** Each reason is told once (SPEC 9.3), and noted as told behind that. */
  async #takeOfStranger(heard: Heard, inLog: () => void): Promise<WebhookResponse> {
    const { scene, message, state, way, base } = heard;
    const isNew = !remembers(state.ring, base.delivery.key);
    if (isNew && !(await mayRefuse(this.#deps, scene, state, base))) {
      const decide = await this.#decider(scene, state, way, base);
      await this.#sayAgain(scene, decide(state), state);
      return this.#ask(scene, base, message);
    }
    const answered = await this.#take(heard, inLog);
    await refused(this.#deps, scene, base);
    return answered;
  }

  async #take({ scene, message, state, way, base, picked }: Heard, inLog: () => void): Promise<WebhookResponse> {
    const { app, place } = scene;
    const sought = { ...base.delivery, sentAt: message.notBefore ?? message.sentAt };
    const otherwise = await this.#decider(scene, state, way, base);
    const decide = picked ? pickOr(picked, base, otherwise) : otherwise;
    let waited: readonly number[] = [];
    let unsaid: Draft | undefined;
    const writing = { person: message.person.id, key: base.delivery.key };
    const outcome = await appendPermitted<'silence' | 'duplicate'>(this.#deps, scene, writing, state, (from, permits) =>
      appendOnce<'silence' | keyof Permits>(this.#deps, place, from, sought, (current) => {
        waited = current.waiting;
        const admitted = this.#admit(scene, current, decide(current), message, permits);
        if ('unsaid' in admitted) unsaid = admitted.unsaid;
        return admitted;
      }),
    );
    await this.#followUp(scene, outcome, message.person);
    if (isOfStranger(way)) await this.#ask(scene, base, message);
    if ('gave' in outcome && outcome.gave === 'silence') return this.#sayAgain(scene, unsaid, outcome.state);
    if (!('event' in outcome)) return this.#again(scene, sought, outcome.state, inLog);
    const { event } = outcome;
    if (goesOnBehind(scene, event)) inLog();
    const isPick = picked !== undefined && (event.data as Partial<Base>).action === picked.item.id;
    const answered = await this.#answer((isPick && picked.doing.scene) || scene, event);
    if (isPick) await this.#deps.actions.delete(picked.item);
    if (app.limits.repliesInHttp)
      await releaseDropped({ app, sender: app.sender(scene.channel), log: this.#deps.log, place }, waited, event.state);
    return answered;
  }

  /** What an append asks for outside the log, before anything is answered. */
  async #followUp(scene: Scene, outcome: AppendOutcome<unknown>, person: Person): Promise<void> {
    const state = 'event' in outcome ? outcome.event.state : outcome.state;
    const recorded = 'event' in outcome ? recordWriter(this.#deps, scene, person) : undefined;
    await Promise.all([enqueueIfOwed(this.#deps, scene.place, state), recorded]);
  }

  /** What was appended before, by this delivery or by another one of the same message. */
  async #again(scene: Scene, delivery: Delivery, { seq, gone }: State, inLog: () => void): Promise<WebhookResponse> {
    if (gone !== undefined) return OK;
    const before = await eventOfDelivery(this.#deps.log, scene.place, delivery, seq);
    if (before && goesOnBehind(scene, before)) inLog();
    const known = eventAgain(before, delivery);
    return known ? this.#answer(scene, known) : OK;
  }

  /** What is told once, or once in a while, is told each time where every delivery is answered; no event says it again. */
  async #sayAgain(scene: Scene, unsaid: Draft | undefined, state: State): Promise<WebhookResponse> {
    const said = scene.app.limits.repliesInHttp && unsaid && (await replyAsIf(this.#deps, scene, unsaid, state));
    if (said) await sendReply(this.#deps, scene, said.event, said.reply);
    return OK;
  }

  /** A stranger who was told already is answered nothing; the owner hears of them if that is still owed. */
  async #ask(scene: Scene, base: Base, message: IncomingMessage): Promise<WebhookResponse> {
    await askOwner(this.#deps, scene, { ...base, to: laterTo(message) });
    return OK;
  }

  #admit(
    { app, tenant, use }: Scene,
    state: State,
    draft: Draft,
    message: IncomingMessage,
    permits: Permits,
  ): Admitted {
    const admitted = admit(draft, { settings: tenant.settings, use, state, now: this.#deps.runtime.now(), permits });
    return app.limits.repliesInHttp && 'draft' in admitted ? { draft: addressed(admitted.draft, message) } : admitted;
  }

  /** What the message makes of a state; I/O that has to come first is done here. */
  async #decider(scene: Scene, state: State, way: Route, base: Base): Promise<(state: State) => Draft> {
    if (way.kind === 'message') return (current) => decideMessage(current, base, way.content);
    if (way.kind === 'silence') throw new Error('Silence decides nothing');
    const handler = way.kind === 'notice' ? NOTICES[way.notice] : way.command.handler;
    const refused = () => closedTo(scene.record) ?? (willAsk(this.#deps, scene, base) ? 'asks' : '');
    const args = isOfStranger(way) ? refused() : way.args;
    const { quote } = way;
    const decide = await prepared(this.#deps, scene, state, handler, { base, args, ...(quote ? { quote } : {}) });
    return (current) => decide(current, base);
  }

  /** Answers a command from its event; a message is answered by the worker. */
  async #answer(scene: Scene, event: Appended): Promise<WebhookResponse> {
    await carryOut(this.#deps, scene, event);
    const handler = commandReplyOf(event);
    if (!handler) return OK;
    await this.#answers.give(scene.app.limits, event.id, () => this.#reply(scene, handler, event));
    return OK;
  }

  async #reply(scene: Scene, handler: Handler, event: Appended): Promise<void> {
    return sendReply(this.#deps, scene, event, await replyTo(this.#deps, scene, handler, event));
  }
}

/** Whether what is left to do may go on behind the HTTP answer: not a command's reply, where that is the answer. */
function goesOnBehind({ app }: Scene, event: StoredEvent): boolean {
  return !app.limits.repliesInHttp || !commandReplyOf(event);
}

/** Who makes the reply to a command from its event; undefined for a message, which the worker answers. */
function commandReplyOf({ type, data }: Pick<StoredEvent, 'type' | 'data'>): Handler | undefined {
  return type === 'message' ? undefined : handlerNamed((data as Partial<Base>).command);
}

const REFUSED: WebhookResponse = {
  status: 401,
  message: 'This request does not come from the app, or its secret is wrong.',
};

/** A channel may be deleted, or its secret rotated, between two reads. */
const ANSWERS = {
  ...{ taken: OK, refused: REFUSED, gone: { status: 404, message: 'This channel is gone.' } },
  /** Silence: nobody there waits for an answer of a bot that they have removed. */
  uninstalled: OK,
};
