/** One field of a request that was refused, and why, in words. Never holds the value that was given. */
export interface FieldError {
  field: string;
  reason: string;
}

/** The kinds of refusal, with the status and the title of each. */
const PROBLEMS = {
  'bad-json': { status: 400, title: 'The body is no JSON' },
  unauthorized: { status: 401, title: 'The admin token is missing or wrong' },
  'not-found': { status: 404, title: 'There is no such thing' },
  'bad-method': { status: 405, title: 'This method is not possible here' },
  conflict: { status: 409, title: 'Something else is there already' },
  'too-large': { status: 413, title: 'The body is too large' },
  'bad-fields': { status: 422, title: 'Some fields are not right' },
  'app-refused': { status: 422, title: 'The chat app refused' },
  'app-not-asked': { status: 503, title: 'The chat app could not be asked' },
  'app-not-ready': { status: 502, title: 'The chat app could not be set up' },
  unavailable: { status: 503, title: 'This cannot be done right now' },
  internal: { status: 500, title: 'Something went wrong' },
} as const;

export type ProblemKind = keyof typeof PROBLEMS;

/** Thrown by a handler to refuse the request. `detail` and `errors` are shown to the administrator as they are. */
export class Problem extends Error {
  readonly kind: ProblemKind;
  readonly errors: readonly FieldError[];

  constructor(kind: ProblemKind, detail: string, errors: readonly FieldError[] = []) {
    super(detail);
    this.name = 'Problem';
    this.kind = kind;
    this.errors = errors;
  }
}

/** A refusal because of fields. */
export function badFields(...errors: FieldError[]): Problem {
  return new Problem('bad-fields', sentences(errors), errors);
}

export function notFound(detail: string): Problem {
  return new Problem('not-found', detail);
}

function sentences(errors: readonly FieldError[]): string {
  return errors.map(({ field, reason }) => `${field}: ${reason}`).join(' ');
}

/** The problem as RFC 9457 has it. */
export function problemResponse(problem: Problem, headers: Record<string, string> = {}): Response {
  const { status, title } = PROBLEMS[problem.kind];
  const body = {
    type: `urn:conch:problem:${problem.kind}`,
    title,
    status,
    detail: problem.message,
    ...(problem.errors.length > 0 ? { errors: problem.errors } : {}),
  };
  return Response.json(body, { status, headers: { 'content-type': 'application/problem+json', ...headers } });
}
