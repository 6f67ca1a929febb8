import type { ActionChoice } from '../ports/actions.ts';
import type { ShownChoice } from '../ports/chatApp.ts';

/** How a choice stands out (SPEC 11): what a question or the owner is asked for, and what refuses or takes away. */
export function choiceStyle({ target, answers }: ActionChoice): Pick<ShownChoice, 'style'> {
  const isMain = answers === 'yes' || (target.kind === 'access' && target.answer === 'let-in');
  if (isMain) return { style: 'primary' };
  const isHard = target.kind === 'clear-goal' || (target.kind === 'answer' && target.answer === 'deny');
  return isHard ? { style: 'danger' } : {};
}
