/** The parts of an error that are logged. */
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
 * Members of an error that are logged: names and codes. No others, because PostgreSQL's driver adds the rejected row,
 * PGlite's the parameters, Redis' client the command, and a collector's the whole answer.
 */
const FACTS = ["code", "severity", "schema", "table", "column", "constraint", "routine"] as const;

const MESSAGE_LENGTH_MAX = 2_000;
const STACK_LENGTH_MAX = 8_000;
/** Depth of causes, and number of errors in an `AggregateError`, such as one for each address of a host. */
const DEPTH_MAX = 5;
const ERRORS_MAX = 8;

/**
 * Classes of SQLSTATE whose messages contain only facts about the server, our statements and names in the schema. Messages
 * of other classes may quote stored values, for example invalid values or texts that an operator's trigger raises.
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

/** Redis quotes the arguments of an unknown command, and ours contain hashes. */
const QUOTED_COMMAND = /, with args beginning with: .*/s;

/** An error for the log: of bounded length, and without data that was stored, sent or received. */
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

/** The cause's message is appended: "the storage is unavailable" alone does not say why. */
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

/** Replaces the message in the stack. A stack without the message may contain any text and is left out. */
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
