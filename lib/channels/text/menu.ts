import type { ChatApp } from '../../ports/chatApp.ts';

/** A text client has no menu of commands. */
export const publishMenu: ChatApp['publishMenu'] = async () => ({ ok: true });
