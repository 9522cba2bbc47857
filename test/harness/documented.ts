import { Ajv2020, type AnySchemaObject, type ValidateFunction } from "ajv/dist/2020.js";
import document from "../../gen/openapi.json" with { type: "json" };
import { DENIALS } from "../../src/domain/vocabulary/denial.ts";
import { ERROR_REASONS } from "../../src/domain/vocabulary/error-reason.ts";
import { AUTH_CHECK_PATH } from "../../tools/protoc-gen-openapi/auth-check.ts";

/** What of an answer can be held against the document. */
interface DocumentedAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly json: unknown;
}

type Responses = Readonly<Record<string, AnySchemaObject>>;

const DOCUMENT = "openapi.json";
const PREFIX = "/api/v1/";
const RESPONSES = new Map<string, Responses>(
  Object.entries(document.paths).map(([path, { post }]) => [path, post.responses]),
);
/** Unknown paths are answered like an unknown resource. */
const NO_SUCH_PATH: Responses = { 404: { $ref: "#/components/responses/NotFound" } };

const ajv = new Ajv2020({ strict: false, allErrors: true, coerceTypes: false });
ajv.addFormat("date-time", /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,9})?Z$/);
ajv.addFormat("int32", { type: "number", validate: (value) => value === (value | 0) });
ajv.addSchema(closed(document), DOCUMENT);
const REMEDY = /(^|; )(add|call|check|create|get|have|issue|recreate|remove|retry|send|set|use|wait)\b[^;]*\.$/i;
const validators = new Map<string, ValidateFunction>();

/**
 * Fails unless the document has an answer's status, its headers and every member of its body. The schemas of answers
 * are open, since a later version may have more members; here they are closed, so that none is left undocumented.
 */
export function expectDocumented(path: string, answer: DocumentedAnswer): void {
  if (!path.startsWith(PREFIX) && path !== AUTH_CHECK_PATH) return;
  const where = `${path} answered ${answer.status}`;
  const found = (RESPONSES.get(path) ?? NO_SUCH_PATH)[String(answer.status)];
  if (found === undefined) throw new Error(`${where}, a status that gen/openapi.json does not have`);
  const [pointer, response] = resolved(found, path, answer.status);
  for (const [name, header] of Object.entries(response.headers as Responses)) {
    expectHeader(where, name, resolved(header, path, answer.status)[1], answer.headers.get(name));
  }
  if (response.content === undefined) return;
  // The body of a call in binary is a message, whose schema is the proto.
  if (answer.headers.get("content-type") === "application/proto") return;
  if (answer.headers.get("content-type") === "application/problem+json") {
    check(where, `${pointer}/content/application~1problem+json/schema`, answer.json);
    return;
  }
  if (answer.headers.get("content-type") !== "application/json") throw new Error(`${where} without being JSON`);
  check(where, `${pointer}/content/application~1json/schema`, answer.json);
  expectOfStatus(where, answer, response);
  expectReason(where, answer);
  // A proxy passes its messages on to another host, without the page.
  if (path !== AUTH_CHECK_PATH) expectRemedy(where, answer.json);
  expectRetryAfter(where, answer);
}

/** Only a request that costs more than the limit is denied without it. */
function expectRetryAfter(where: string, { status, headers, json }: DocumentedAnswer): void {
  const { message } = json as { message?: string };
  if (status !== 429 || headers.has("retry-after") || message?.startsWith("This request costs ")) return;
  throw new Error(`${where} without the header Retry-After`);
}

const MEMBER = /^[a-zA-Z_]\w*(?:[.[][^:\s]*)?(?=: )/;
/** What a message can begin with that is no single member: see `RequestFault`. */
const NO_MEMBERS: ReadonlySet<string> = new Set(["body", "query", "max_keys"]);

/** The code and the reason are among those of the status, and a denial has the members of one. */
function expectOfStatus(where: string, { status, json }: DocumentedAnswer, response: AnySchemaObject): void {
  if (status < 400) return;
  const { code, reason = "", denial_reason, rate_limit } = json as Readonly<Record<string, string>>;
  if (!response["x-codes"].includes(code) || !response["x-reasons"].includes(reason))
    throw new Error(`${where} with ${code} and ${reason}, which gen/openapi.json does not have for the status`);
  if (reason in DENIALS && (denial_reason === undefined || (status === 429 && rate_limit === undefined)))
    throw new Error(`${where} with the denial ${reason}, but without denial_reason or rate_limit`);
}

/** The reasons that say more about a denial than its own. */
const OF_DENIALS: Readonly<Record<string, keyof typeof DENIALS>> = {
  key_not_allowed: "insufficient_scope",
  token_not_allowed: "insufficient_scope",
};

/** The reason is one of its code, and the member at fault is the one that the message begins with. */
function expectReason(where: string, { status, json }: DocumentedAnswer): void {
  if (status < 400) return;
  const { code, reason = "", denial_reason = reason, field, message = "" } = json as Readonly<Record<string, string>>;
  const known = Object.entries<{ code: string }>({ ...ERROR_REASONS, ...DENIALS }).find(
    ([name]) => name === reason,
  )?.[1];
  if (known?.code !== code) throw new Error(`${where} with the reason ${reason}, which is ${known?.code}, and ${code}`);
  if (denial_reason !== (OF_DENIALS[reason] ?? reason))
    throw new Error(`${where} with two reasons: ${reason} and ${denial_reason}`);
  if (field !== undefined && !message.startsWith(`${field}: `))
    throw new Error(`${where} with a message that does not begin with its field ${field}: ${message}`);
  const [named] = MEMBER.exec(message) ?? [];
  if (field === undefined && named !== undefined && !NO_MEMBERS.has(named))
    throw new Error(`${where} without the field ${named}: ${message}`);
}

/** A denial's message says what to do, at its beginning or after a semicolon, and then where more is said of its reason. */
function expectRemedy(where: string, json: unknown): void {
  const { denial_reason, reason, message = "" } = json as Readonly<Record<string, string>>;
  if (denial_reason === undefined) return;
  const [says = "", page] = message.split(" See ");
  if (!REMEDY.test(says)) throw new Error(`${where} with a message that names no remedy: ${message}`);
  // With an address before it where the service knows its own.
  if (page?.replace(/^https:\/\/[^/]+/, "") === `/docs/errors#${reason}`) return;
  throw new Error(`${where} with a message that does not end with the section of its reason: ${message}`);
}

function expectHeader(where: string, name: string, header: AnySchemaObject, value: string | null): void {
  if (value === null) {
    if (header.required === true) throw new Error(`${where} without the header ${name}`);
    return;
  }
  const isNumber = header.schema.type === "integer";
  check(`${where} with the header ${name}`, `/components/headers/${name}/schema`, isNumber ? Number(value) : value);
}

function check(where: string, pointer: string, value: unknown): void {
  const validate = validators.get(pointer) ?? ajv.compile({ $ref: `${DOCUMENT}#${pointer}` });
  validators.set(pointer, validate);
  if (validate(value)) return;
  throw new Error(`${where}, other than gen/openapi.json says: ${ajv.errorsText(validate.errors)}\n${show(value)}`);
}

/** A response or header with the pointer to where it stands. */
function resolved(found: AnySchemaObject, path: string, status: number): [pointer: string, AnySchemaObject] {
  if (typeof found.$ref !== "string") {
    return [`/paths/${path.replaceAll("~", "~0").replaceAll("/", "~1")}/post/responses/${status}`, found];
  }
  const pointer = found.$ref.slice(1);
  const steps = pointer.slice(1).split("/");
  return [pointer, steps.reduce((at: AnySchemaObject, step) => at[step], document)];
}

function closed(node: unknown): AnySchemaObject {
  return JSON.parse(JSON.stringify(node), (_member, value) =>
    value?.type === "object" && "properties" in value && !("additionalProperties" in value)
      ? { ...value, additionalProperties: false }
      : value,
  );
}

function show(value: unknown): string {
  return JSON.stringify(value)?.slice(0, 1_000) ?? "";
}
