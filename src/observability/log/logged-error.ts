/** What the log has of an error. */
interface LoggedError {
  readonly type: string;
  readonly message: string;
  readonly stack: string;
  readonly cause?: Logged;
  readonly errors?: readonly Logged[];
  /** Its `FACTS`. */
  readonly [fact: string]: unknown;
}

type Logged = LoggedError | string;

/**
 * Of an error's own members, names and codes. No others: PostgreSQL's driver adds the row that was refused, PGlite's the
 * parameters, Redis' client the command, and a collector's the whole answer.
 */
const FACTS = ["code", "severity", "schema", "table", "column", "constraint", "routine"] as const;

const MESSAGE_LENGTH_MAX = 2_000;
const STACK_LENGTH_MAX = 8_000;
/** Errors below one another, and beside one another: one for each address of a host, say. */
const DEPTH_MAX = 5;
const ERRORS_MAX = 8;

/**
 * Classes of SQLSTATE whose messages speak of the server, of our statements and of names in the schema. Those of all others
 * may quote what was to be stored: values that cannot be read, and whatever a trigger of the operator's raises.
 */
const SAFE_CLASSES: ReadonlySet<string> = new Set([
  "08",
  "0A",
  "25",
  "26",
  "28",
  "3D",
  "3F",
  "40",
  "42",
  "53",
  "54",
  "55",
  "57",
  "58",
  "F0",
  "XX",
]);
const MESSAGE_OMITTED = "PostgreSQL's message is left out: it may quote what was to be stored";

/** What Redis says of a command that it does not know: ours have hashes in them. */
const QUOTED_COMMAND = /, with args beginning with: .*/s;

/** An error as the log may have it: bounded, and without what was stored, sent or answered. */
export function loggedError(err: unknown, depth = 1): Logged {
  if (!(err instanceof Error)) return typeof err === "string" ? clip(err, MESSAGE_LENGTH_MAX) : typeof err;
  const nested = (other: unknown): Logged => loggedError(other, depth + 1);
  const goesOn = depth < DEPTH_MAX;
  const cause = goesOn && err.cause !== undefined ? nested(err.cause) : undefined;
  const message = publicMessage(err);
  return {
    type: err.constructor.name,
    message: clip(message + whyOf(cause), MESSAGE_LENGTH_MAX),
    ...factsOf(err),
    stack: clip(publicStack(err, message), STACK_LENGTH_MAX),
    ...(cause !== undefined && { cause }),
    ...(goesOn && err instanceof AggregateError && { errors: err.errors.slice(0, ERRORS_MAX).map(nested) }),
  };
}

/** In the message, too: whoever reads that alone would not learn why "the storage is unavailable". */
function whyOf(cause: Logged | undefined): string {
  if (cause === undefined) return "";
  return `: ${typeof cause === "string" ? cause : cause.message}`;
}

function publicMessage(err: Error): string {
  const { code, severity } = factsOf(err);
  const isOfPostgres = typeof severity === "string" && typeof code === "string";
  if (isOfPostgres && !SAFE_CLASSES.has(code.slice(0, 2))) return MESSAGE_OMITTED;
  return err.message.replace(QUOTED_COMMAND, "");
}

/** A stack begins with the message; one in which it is not found is of unknown text. */
function publicStack({ message, stack = "" }: Error, shown: string): string {
  if (message === shown) return stack;
  const start = stack.indexOf(message);
  return start < 0 ? "" : `${stack.slice(0, start)}${shown}${stack.slice(start + message.length)}`;
}

function factsOf(err: Error): Record<string, string | number> {
  const facts: Record<string, string | number> = {};
  for (const [name, value] of Object.entries(err)) {
    if (!FACTS.some((fact) => fact === name)) continue;
    if (typeof value === "string") facts[name] = clip(value, MESSAGE_LENGTH_MAX);
    else if (typeof value === "number") facts[name] = value;
  }
  return facts;
}

function clip(text: string, lengthMax: number): string {
  return text.length <= lengthMax ? text : `${text.slice(0, lengthMax)}... (${text.length} characters)`;
}
