export const MINUTE_MS = 60_000;
export const HOUR_MS = 60 * MINUTE_MS;
export const DAY_MS = 24 * HOUR_MS;

/** Longest goal, in Unicode code points (SPEC 6.1). */
export const GOAL_LIMIT = 500;
/**
 * What an event's data takes at most, bytes as JSON: an item has 400 KB (409,600), and its state takes 120,000 at worst, most
 * of it the names of allowed tools and, while a long reply is shown, the ids of its messages.
 */
export const EVENT_BYTES = 280_000;
/** Longest message of a person, in UTF-16 units of at most three bytes as JSON. */
export const MESSAGE_LIMIT = 60_000;
/** Longest answer, in UTF-16 units and in bytes as JSON: what its event holds besides has room. */
export const ANSWER_LIMIT = 200_000;
export const ANSWER_BYTES = 260_000;
/** Longest id of a conversation that a provider keeps, UTF-16 units. */
export const SESSION_CHARS = 1_000;

/** How long a claim holds a turn without a renewal (DESIGN 3). */
export const LEASE_MS = 1 * MINUTE_MS;
/** A lease with less than this left is renewed when the worker next looks: most turns need no renewal. */
export const RENEW_BELOW_MS = 32_000;
/** A turn is taken over this long after its lease, since clocks differ. */
export const TAKEOVER_GRACE_MS = 5_000;
/** Nothing is sent with less than this left of the lease. */
export const SEND_GUARD_MS = 15_000;
/** A send is aborted after this time, well within the guard. */
export const SEND_TIMEOUT_MS = 10_000;
/** A hint stays invisible for this long beyond the lease. */
export const HINT_MARGIN_MS = 30_000;
/** A worker claims only while its hint is surely invisible for this long. */
export const HINT_GUARD_MS = 5_000;
/** Claims of a turn without progress before it ends as failed. */
export const TURN_TRIES = 5;
/** Failed deliveries of one reply before it is given up. */
export const DELIVERY_TRIES = 10;
/** One step of a provider takes at most this long. */
export const STEP_LIMIT_MS = 5 * MINUTE_MS;
/** A worker begins nothing with less than one step's time left. */
export const TIME_TO_WORK_MS = STEP_LIMIT_MS + LEASE_MS;
/** One call of a tool takes at most this long. */
export const TOOL_CALL_MS = 1 * MINUTE_MS;
/** How often a turn's holder looks for `/stop`. */
export const STOP_POLL_MS = 1_500;

/** How long a ChatAction can be pressed (SPEC 11.1). */
export const ACTION_LIFETIME_MS = 10 * MINUTE_MS;
/** Open actions of one person and chat (SPEC 11.3). */
export const OPEN_ACTIONS = 32;
/** Wrong claim codes of one person in an hour (SPEC 9.2). */
export const WRONG_CLAIMS = 5;
/** The highest limit of messages in a minute (SPEC 9.4): a person's rate keeps as many send times. */
export const MESSAGES_PER_MINUTE = 60;
/** Messages of a place that wait for one turn: its first event names each of them. */
export const MESSAGES_WAITING = 200;
/** Turns of a tenant at once, where its settings do not say. */
export const TURNS_AT_ONCE = 20;
/** Tools that a chat keeps as allowed (SPEC 7.5): the newest. */
export const GRANTS = 64;
/** Steps of one turn, where the tenant does not say. */
export const TURN_STEPS = 25;
