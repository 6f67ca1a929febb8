import type { ChatApp } from '../../ports/chatApp.ts';

/** There is nobody to ask about a text channel's secret. */
export const identify: ChatApp['identify'] = async () => ({ ok: true, bot: {} });

/** The client posts to the webhook by itself. */
export const register: ChatApp['register'] = async () => ({ ok: true });

/** Nothing to take away. */
export const unregister: ChatApp['unregister'] = async () => ({ ok: true });

/** A text client opens no links. */
export const claimLink: ChatApp['claimLink'] = () => undefined;
