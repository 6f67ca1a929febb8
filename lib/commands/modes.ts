import type { Mode } from '../domain/events.ts';

/** The modes as people read them, in order of freedom (SPEC 7.5). */
export const MODE_NAMES: Readonly<Record<Mode, string>> = {
  plan: 'Plan',
  ask: 'Ask',
  edit: 'Edit freely',
  auto: 'Auto',
  trust: 'Full trust',
};

/** What each mode lets me do without asking. */
export const MODE_ALLOWS: Readonly<Record<Mode, string>> = {
  plan: 'I only plan, and change nothing.',
  ask: 'I ask before I change anything.',
  edit: 'I make changes without asking, as long as they destroy nothing.',
  auto: 'I make changes without asking, and ask only before one that may destroy something.',
  trust: 'I never ask. I make every change at once, also one that destroys something.',
};

/** What a change up to this mode will allow, as the question before it says (SPEC 7.5). */
export const MODE_CONSENT: Readonly<Record<Mode, string>> = {
  plan: 'I will only plan, and change nothing.',
  ask: 'I will ask before I change something.',
  edit: 'I will no longer ask before a change that destroys nothing.',
  auto: 'I will ask only before a change that may destroy something.',
  trust: 'I will no longer ask before I change something.',
};
