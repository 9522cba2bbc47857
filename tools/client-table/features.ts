import type { Package } from "./symbols.ts";

/** A client of the table: a package, or what its reader generates and writes without one. */
export type Client = Package | "generated";

/** What a client lacks, and where there is something, what it has in its place. */
export interface Lacking {
  readonly instead: string;
}

/** A text of a file from the root of the repository. */
export type Proof = readonly [path: string, text: RegExp];

/**
 * One row. To change what a client has, change its cell: a text where it has the feature, `lacking(...)` where it does not.
 * `test/docs/client-table.test.ts` compares both with the packages.
 */
export interface Feature {
  readonly title: string;
  readonly cells: Readonly<Record<Client, string | Lacking>>;
  /**
   * What a package with this feature lets others use, all of it, as `symbolsOf` writes it. A package that lacks the feature has not
   * all of it.
   */
  readonly symbols?: readonly RegExp[];
  /** What else must be in the files, for what no name shows. */
  readonly proofs?: Partial<Readonly<Record<Client, readonly Proof[]>>>;
}

const YES = "✓";
const HOST_QUESTION = /is base_?(?:url|URL|Url) that of a Latchkey service\?/;
/** Of the example in Kotlin, which stands for all generated code. */
const KOTLIN = "examples/kotlin/src/main/kotlin";
const YOURS = lacking("yours");
const SIDECAR = lacking("[`latchkey edge`](edge.md)");
const CHECK = lacking("[`/auth/check`](mcp.md#go-python-and-other-languages)");

export const FEATURES: readonly Feature[] = [
  {
    title: "Secret key",
    cells: { typescript: YES, go: YES, python: YES, swift: YES, generated: lacking("an interceptor of yours") },
    symbols: [/\bsecretkey\b|\bsecretkeycredentials\.apikey/],
  },
  {
    title: "… for one of its users",
    cells: { typescript: YES, go: YES, python: YES, swift: YES, generated: YOURS },
    symbols: [/\bonbehalfof/],
  },
  {
    title: "Publishable key with its user's token",
    cells: { typescript: YES, go: YES, python: YES, swift: YES, generated: lacking("an interceptor of yours") },
    symbols: [/\bpublishablekey(?:credentials)?\b/],
    proofs: { generated: [[`${KOTLIN}/Credentials.kt`, /"X-API-Key".*\n.*"Authorization"/]] },
  },
  {
    title: "Dashboard user's or operator's token",
    cells: { typescript: YES, go: YES, python: YES, swift: YES, generated: YOURS },
    symbols: [/^usertoken\b|\bcredentials\.usertoken\(|\bdashboardcredentials\.getusertoken/],
  },
  {
    title: "Tokens with less than a key: derive, list, revoke, call",
    cells: { typescript: YES, go: YES, python: YES, swift: YES, generated: lacking("an interceptor of yours") },
    proofs: {
      typescript: [["clients/typescript/src/client.ts", /tokens: createStrictClient\(TokenService/]],
      go: [["clients/go/client.go", /Tokens: +latchkeyv1connect\.NewTokenServiceClient/]],
      python: [["clients/python/src/latchkey/_client.py", /self\.tokens = calls\.TokenService/]],
      swift: [["clients/swift/Sources/Latchkey/LatchkeyClient.swift", /public var tokens: V1\.TokenService/]],
    },
  },
  {
    title: "Proofs for [DPoP](agent-tokens.md#bind-a-token-to-its-sender)",
    cells: { typescript: YOURS, go: YOURS, python: YOURS, swift: YOURS, generated: YOURS },
    symbols: [/\bdpop|\bproofs?\b/],
  },
  {
    title: "A workload without a stored secret",
    cells: {
      typescript: "exchanges and renews, once for all calls",
      go: "exchanges and renews, once for all calls",
      python: "exchanges and renews, once for all calls",
      swift: lacking("apps have users, not workloads"),
      generated: YOURS,
    },
    proofs: {
      typescript: [["clients/typescript/src/federation.ts", /^export function federatedTokens\(/m]],
      go: [["clients/go/federation.go", /^func Federation\(/m]],
      python: [["clients/python/src/latchkey/_federation.py", /^class Federation\(/m]],
    },
  },
  {
    title: "A new token after `jwt_expired`",
    cells: {
      typescript: "once for all calls",
      go: lacking("by your function, called before each attempt"),
      python: lacking("by your function, called before each attempt"),
      swift: "once for all calls; `TokenCache` for providers that do not cache",
      generated: YOURS,
    },
    symbols: [/\brefresh: bool/],
    proofs: { swift: [["clients/swift/Sources/Latchkey/TokenCache.swift", /public actor TokenCache/]] },
  },
  {
    title: "Retries",
    cells: {
      typescript: "3 attempts, at most 30 s apart",
      go: "3 attempts, at most 30 s apart",
      python: "3 attempts, at most 30 s apart",
      swift: "3 attempts, at most 30 s apart",
      generated: lacking("yours; 3 after `Retry-After` in the example"),
    },
    symbols: [/withretries|\bretry(?:options)?\.attemptsmax/],
    proofs: {
      typescript: [["clients/typescript/src/retry.ts", /ATTEMPTS_MAX = 3;\nconst PAUSE_MS_MAX = 30_000;/]],
      go: [["clients/go/client.go", /attemptsMax: 3, pauseMax: 30 \* time\.Second/]],
      python: [
        ["clients/python/src/latchkey/_retry.py", /attempts_max: int = 3\n[\s\S]*pause_seconds_max: float = 30\.0\n/],
      ],
      swift: [["clients/swift/Sources/Latchkey/Retry.swift", /attemptsMax: Int = 3, pauseMax: TimeInterval = 30\)/]],
      generated: [[`${KOTLIN}/Main.kt`, /attemptsMax: Int = 3/]],
    },
  },
  {
    title: "Refuses `http://` to another machine",
    cells: { typescript: YES, go: YES, python: YES, swift: YES, generated: YOURS },
    symbols: [/insecurehttp/],
  },
  {
    title: "Follows no redirect",
    cells: { typescript: YES, go: YES, python: YES, swift: YES, generated: YOURS },
    proofs: {
      typescript: [["clients/typescript/src/reaching-fetch.ts", /redirect: REDIRECT/]],
      go: [["clients/go/transport.go", /none is followed/]],
      python: [["clients/python/src/latchkey/_call.py", /follow_redirects=False/]],
      swift: [["clients/swift/Sources/Latchkey/Session.swift", /willPerformHTTPRedirection/]],
      generated: [[`${KOTLIN}/Main.kt`, /followRedirects\(false\)/]],
    },
  },
  {
    title: "Denials: reason, limit, `Retry-After`",
    cells: { typescript: YES, go: YES, python: YES, swift: YES, generated: lacking("the detail `Denial`") },
    symbols: [/\bdenial\.reason\b/, /\bdenial\.ratelimit\b/, /\bdenial\.retryafter/],
    proofs: { generated: [[`${KOTLIN}/Main.kt`, /unpackedDetails\(Denial::class\)/]] },
  },
  {
    title: "Reason and field of every error",
    cells: { typescript: YES, go: YES, python: YES, swift: YES, generated: lacking("the detail `ErrorInfo`") },
    symbols: [/\breasonof\(|\blatchkeyerror\.(?:init.*\b)?reason:/, /\bfieldof\(|\blatchkeyerror\.(?:init.*\b)?field:/],
  },
  {
    title: "Request id of an error",
    cells: {
      typescript: lacking("in its `metadata`"),
      go: lacking("in its `Meta()`"),
      python: lacking("–"),
      swift: YES,
      generated: lacking("in its metadata"),
    },
    symbols: [/\brequestid\b/],
  },
  {
    title: "Asks whether an answer of another host is that of a Latchkey service",
    cells: { typescript: YES, go: YES, python: YES, swift: YES, generated: YOURS },
    proofs: {
      typescript: [["clients/typescript/src/wrong-host.ts", HOST_QUESTION]],
      go: [["clients/go/transport.go", HOST_QUESTION]],
      python: [["clients/python/src/latchkey/_error.py", HOST_QUESTION]],
      swift: [["clients/swift/Sources/Latchkey/Answer.swift", HOST_QUESTION]],
    },
  },
  {
    title: "A key, token or secret of a response is not printed",
    cells: { typescript: "in Node, Bun and Deno", go: lacking("–"), python: YES, swift: YES, generated: YOURS },
    proofs: {
      typescript: [["clients/typescript/src/printable.ts", /debugRedact/]],
      python: [["clients/python/src/latchkey/_printing.py", /debug_redact/]],
      swift: [
        ["clients/swift/Sources/Latchkey/Generated/ApiKeyService.swift", /redacted\(self\.key\)/],
        ["clients/swift/Sources/Latchkey/Generated/TokenService.swift", /redacted\(self\.token\)/],
        ["clients/swift/Sources/Latchkey/Generated/WebhookService.swift", /redacted\(self\.secret\)/],
      ],
    },
  },
  {
    title: "Sends a message and waits for its reply",
    cells: { typescript: YES, go: YES, python: YES, swift: YES, generated: YOURS },
    symbols: [/\bsendandwait\(/],
  },
  {
    title: "Iterators over lists",
    cells: { typescript: "`eachOf`", go: lacking("–"), python: lacking("–"), swift: lacking("–"), generated: YOURS },
    symbols: [
      /\beachof\b|async(?:iterable|iterator|generator|sequence|stream)\b|\biter\.seq|\b(?:iterator|generator)\[/,
    ],
  },
  {
    title: "Guard for your own service",
    cells: {
      typescript: "Node, `fetch`, Express, Fastify, Hono, Next.js, Connect; `guard.check` elsewhere",
      go: "`net/http`, grpc-go; `guard.Check` elsewhere",
      python: "ASGI, WSGI, FastAPI; `guard.check` elsewhere",
      swift: lacking("–"),
      generated: lacking("[`/auth/check`](../../examples/README.md) by a proxy"),
    },
    symbols: [/guard/],
    proofs: {
      typescript: [
        [
          "clients/typescript/src/server/guard.ts",
          /^ {2}check\([\s\S]*^ {2}node\([\s\S]*^ {2}fetch<[\s\S]*^ {2}connect\(/m,
        ],
        [
          "clients/typescript/package.json",
          /"\.\/express": [\s\S]*"\.\/fastify": [\s\S]*"\.\/hono": [\s\S]*"\.\/next": /,
        ],
      ],
      go: [
        ["clients/go/guard.go", /func \(g \*Guard\) Require\(.*func\(http\.Handler\) http\.Handler/],
        ["clients/go/guard.go", /func \(g \*Guard\) Check\(/],
        ["clients/go/grpcguard/guard.go", /grpc\.UnaryHandler[\s\S]*grpc\.StreamHandler/],
      ],
      python: [
        [
          "clients/python/src/latchkey/_guard.py",
          /async def check\([\s\S]*def wsgi\([\s\S]*async def __call__\(self, scope: Scope, receive: Receive, send: Send\)/,
        ],
      ],
    },
  },
  {
    title: "… that decides [without a network](edge.md)",
    cells: { typescript: "Node 22 or later", go: SIDECAR, python: SIDECAR, swift: lacking("–"), generated: SIDECAR },
    symbols: [/\bguardoptions\.edge|\bwithedge\b|\bedge:/],
  },
  {
    title: "Guard for your own MCP server",
    cells: { typescript: "Node, Express, `fetch`", go: CHECK, python: CHECK, swift: lacking("–"), generated: CHECK },
    symbols: [/\bmcpguard\b/],
  },
  {
    title: "Webhooks verified",
    cells: {
      typescript: "and answered: Node, Express, `fetch`",
      go: "and answered: `net/http`",
      python: YES,
      swift: lacking("–"),
      generated: lacking("[by Standard Webhooks](webhooks.md)"),
    },
    symbols: [/webhookevent\b/, /webhook(?:verification)?error\b/],
  },
  {
    title: "Hooks",
    cells: {
      typescript: "React",
      go: lacking("–"),
      python: lacking("–"),
      swift: lacking("[a view model](../../examples/swift/README.md) to copy"),
      generated: lacking("–"),
    },
    symbols: [/\buse(?:latchkey|conversation|threads)\(/],
  },
  {
    title: "Streaming",
    cells: {
      typescript: lacking("–"),
      go: lacking("–"),
      python: lacking("–"),
      swift: lacking("–"),
      generated: lacking("–"),
    },
    symbols: [/\bstream\w*\(|\bserverstream/],
  },
  {
    title: "Run against the service by",
    cells: {
      typescript: "`npm test`",
      go: "`npm run test:peers -- go`",
      python: "`npm run test:peers -- python`",
      swift: "`npm run test:peers -- swift`, on Linux",
      generated: "`npm run test:peers -- kotlin`, on the JVM",
    },
    proofs: {
      typescript: [["test/contract/client.denials.test.ts", /createLatchkeyClient|latchkey\.client/]],
      go: [["test/peers/go.test.ts", /own tests pass against the service/]],
      python: [["test/peers/python.test.ts", /own tests pass against the service/]],
      swift: [["test/peers/swift.test.ts", /pass against the service/]],
      generated: [["test/peers/kotlin.test.ts", /calls the service/]],
    },
  },
];

function lacking(instead: string): Lacking {
  return { instead };
}
