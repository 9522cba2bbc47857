import { readFileSync } from "node:fs";
import { membersOf, type OpenapiSchema, schemasOf, typeSections } from "./api-schemas.ts";

const DOCUMENT: OpenapiDocument = JSON.parse(readFileSync(new URL("../../gen/openapi.json", import.meta.url), "utf8"));

interface OpenapiDocument {
  readonly tags: readonly { readonly name: string; readonly description: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: {
    readonly schemas: Readonly<Record<string, OpenapiSchema>>;
    readonly securitySchemes: Readonly<Record<string, { readonly description: string }>>;
  };
}

interface Operation {
  readonly operationId: string;
  readonly summary: string;
  readonly description: string;
  readonly tags: readonly [string];
  readonly security?: readonly Readonly<Record<string, readonly string[]>>[];
  /** Absent: the operation reads its query and headers only. */
  readonly requestBody?: { readonly content: Content };
  readonly responses: { readonly 200: { readonly description: string; readonly content?: Content } };
}

/** By its media type, of which there is one. */
type Content = Readonly<Record<string, MediaType>>;

interface MediaType {
  readonly schema: OpenapiSchema;
  /** One, or several by name. */
  readonly example?: unknown;
  readonly examples?: Readonly<Record<string, Example>>;
}

interface Example {
  readonly value: unknown;
}

const FORM = "application/x-www-form-urlencoded";

/** One page for each service, and before them one that leads to all. */
export interface ReferencePage {
  /** The last part of its address. */
  readonly name: string;
  readonly title: string;
  readonly markdown: string;
}

/** In the order in which readers need them. A service that is not listed has its own name, and comes last. */
const TITLES: Readonly<Record<string, string>> = {
  Auth: "Verification",
  ApiKey: "API keys",
  KeyPolicy: "Rules for keys",
  Leak: "Leaked keys",
  Scope: "Scopes",
  Usage: "Usage",
  Request: "Recent requests",
  Audit: "Audit trail",
  Gateway: "Conversations",
  Webhook: "Webhooks",
  Org: "Organizations",
  Identity: "Login hook",
  Token: "Tokens",
  Federation: "Workloads without a secret",
  OAuth: "Token exchange",
  Operator: "Operator",
};

/** By the header that they are sent in. */
const CREDENTIALS: Readonly<Record<string, string>> = {
  DashboardJwt: '-H "Authorization: Bearer $LATCHKEY_TOKEN"',
  SecretKey: '-H "X-API-Key: $LATCHKEY_KEY"',
  PublishableKey: '-H "X-API-Key: $LATCHKEY_PUBLISHABLE_KEY"',
  AccessToken: '-H "Authorization: Bearer $LATCHKEY_ACCESS_TOKEN"',
  UserJwt: '-H "Authorization: Bearer $LATCHKEY_USER_TOKEN"',
  OperatorToken: '-H "Authorization: Bearer $LATCHKEY_OPERATOR_TOKEN"',
};

/** The API reference, made of the OpenAPI document. */
export function referencePages(): readonly ReferencePage[] {
  const order = Object.keys(TITLES);
  const rank = (tag: string): number => (order.includes(tag) ? order.indexOf(tag) : order.length);
  const tags = DOCUMENT.tags.toSorted((one, other) => rank(one.name) - rank(other.name));
  const services = tags.map(({ name, description }): ReferencePage => {
    const title = TITLES[name] ?? name;
    return { name: pageName(title), title, markdown: servicePage(title, description, operationsOf(name)) };
  });
  return [{ name: "index", title: "API reference", markdown: firstPage(services, tags) }, ...services];
}

function pageName(title: string): string {
  return title.toLowerCase().replaceAll(" ", "-");
}

/** A path whose methods do the same has one, by its first. */
function operationsOf(tag: string): readonly (readonly [path: string, operation: Operation, method: string])[] {
  return Object.entries(DOCUMENT.paths)
    .flatMap(([path, item]) =>
      Object.entries(item)
        .slice(0, 1)
        .map(([method, operation]) => [path, operation, method] as const),
    )
    .filter(([, { tags }]) => tags[0] === tag);
}

function firstPage(services: readonly ReferencePage[], tags: OpenapiDocument["tags"]): string {
  const rows = services.map(({ name, title }, index) => {
    const tag = tags[index]?.name ?? "";
    const calls = operationsOf(tag).map(
      ([path, { operationId, summary }]) => `- [\`${path}\`](/docs/api/${name}#${anchorOf(operationId)}): ${summary}`,
    );
    return `## ${title}\n\n${firstParagraph(tags[index]?.description ?? "")}\n\n${calls.join("\n")}`;
  });
  return [
    "# API reference",
    "Every operation is a POST of a JSON object, and a Connect, gRPC and gRPC-Web call; `/auth/check`, `/oauth/token` and what other products send have forms of their own. These pages are made of the OpenAPI document, which a running service serves at `/openapi.json`; it serves a page to try the calls at `/docs`.",
    "The examples use the variables that `npm run dev` prints. [Errors](/docs/errors) have one form, [promises](/docs/promises) say what holds beyond these pages, and [the clients](/docs/guides/other-languages) have all operations.",
    ...rows,
  ].join("\n\n");
}

function servicePage(title: string, description: string, operations: ReturnType<typeof operationsOf>): string {
  const { schemas } = DOCUMENT.components;
  const sections = operations.map((operation) => operationSection(...operation));
  const used = schemasOf(
    operations.flatMap(([, { requestBody, responses }]) => [
      ...schemaOf(requestBody?.content),
      ...schemaOf(responses[200].content),
    ]),
    schemas,
  );
  return [`# ${title}`, description, ...sections, ...typeSections(used, schemas)].join("\n\n");
}

function operationSection(path: string, operation: Operation, method: string): string {
  const { operationId, summary, description, security, requestBody, responses } = operation;
  const { schemas } = DOCUMENT.components;
  const [request] = schemaOf(requestBody?.content);
  const [response] = schemaOf(responses[200].content);
  const rest = description.startsWith(`${summary}.`) ? description.slice(summary.length + 1).trim() : description;
  return [
    `## ${operationId}`,
    `**\`${method.toUpperCase()} ${path}\`**`,
    `${summary.replace(/\.$/, "")}.`,
    rest,
    callersOf(security),
    exampleOf(path, operation),
    ...(request === undefined ? [] : ["**Request**", membersOf(request, schemas)]),
    "**Response**",
    response === undefined ? responses[200].description : membersOf(response, schemas),
  ]
    .filter((part) => part !== "")
    .join("\n\n");
}

function callersOf(security: Operation["security"] = []): string {
  if (security.every((schemes) => Object.keys(schemes).length === 0)) return "No credentials are needed.";
  const { securitySchemes } = DOCUMENT.components;
  const ways = security.map((schemes) => {
    const parts = Object.keys(schemes).map((scheme) => securitySchemes[scheme]?.description ?? scheme);
    return `- ${parts.join(" ")}`;
  });
  return `Callers:\n\n${ways.join("\n")}`;
}

/** The first example as a call by curl, and its response, as tabs. */
function exampleOf(path: string, { security = [], requestBody, responses }: Operation): string {
  const [request] = examplesIn(requestBody?.content);
  const [response] = examplesIn(responses[200].content);
  const credentials = Object.keys(security[0] ?? {}).flatMap((scheme) => CREDENTIALS[scheme] ?? []);
  const isForm = requestBody !== undefined && FORM in requestBody.content;
  const lines = [
    `curl -sS "$LATCHKEY_URL${path}"`,
    ...credentials,
    ...(requestBody === undefined ? [] : isForm ? formOf(request?.value) : jsonOf(request?.value)),
  ];
  const call = `\`\`\`sh [Request]\n${lines.join(" \\\n  ")}\n\`\`\``;
  if (response === undefined) return call;
  return `${call}\n\n\`\`\`json [Response]\n${JSON.stringify(response.value, null, 2)}\n\`\`\``;
}

function jsonOf(value: unknown = {}): string[] {
  return ["-H 'Content-Type: application/json'", `-d ${quoted(JSON.stringify(value, null, 2))}`];
}

function formOf(value: unknown): string[] {
  return Object.entries(value ?? {}).map(([name, text]) => `--data-urlencode ${quoted(`${name}=${text}`)}`);
}

/** For a shell. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

function schemaOf(content: Content = {}): readonly OpenapiSchema[] {
  return Object.values(content).map(({ schema }) => schema);
}

function examplesIn(content: Content = {}): readonly Example[] {
  return Object.values(content).flatMap(({ example, examples }) =>
    Object.values(examples ?? (example === undefined ? {} : { only: { value: example } })),
  );
}

function firstParagraph(text: string): string {
  return text.split("\n\n", 1)[0] ?? "";
}

function anchorOf(heading: string): string {
  return heading.toLowerCase();
}
