import { expect, test } from 'vitest';
import { questionChoices } from '../../lib/commands/question.ts';
import { choiceStyle } from '../../lib/conversations/choiceStyle.ts';
import type { ActionChoice } from '../../lib/ports/actions.ts';

const looks = (choices: ActionChoice[]) => choices.map((choice) => [choice.label, choiceStyle(choice).style]);
const asked = { turn: 't', attempt: 1, memory: 0, leaseUntil: 0, messages: [], question: 'q' };
const who = { id: 'u1' };

test('SPEC 7.2, 7.5: the answer that a question asks for stands out, and the one that refuses', () => {
  expect(looks(questionChoices({ ...asked, kind: 'ExitPlanMode', plan: 'p' }))).toEqual([
    ['Start', 'primary'],
    ['Keep planning', undefined],
  ]);
  expect(looks(questionChoices({ ...asked, kind: 'ToolApproval', calls: [] }))).toEqual([
    ['Allow once', 'primary'],
    ['Allow in this chat', undefined],
    ['Deny', 'danger'],
    ['Plan first', undefined],
  ]);
});

test('SPEC 6.1, 9.3: so do what takes a goal away, and what lets somebody in', () => {
  expect(
    looks([
      { label: 'Clear goal', target: { kind: 'clear-goal', goal: 'whales' } },
      { label: 'Let in', target: { kind: 'access', who, answer: 'let-in' } },
      { label: 'Not now', target: { kind: 'access', who, answer: 'not-now' } },
      { label: 'Undo', target: { kind: 'undo', clear: 3 } },
    ]),
  ).toEqual([
    ['Clear goal', 'danger'],
    ['Let in', 'primary'],
    ['Not now', undefined],
    ['Undo', undefined],
  ]);
});
