import { create, fromBinary, toBinary } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { createContextValues } from "@connectrpc/connect";
import { CheckRequestSchema, CheckResponseSchema } from "../../../gen/envoy/service/auth/v3/external_auth_pb.ts";
import {
  AskSliceSchema,
  ReportRequestSchema,
  ResolveRequestSchema,
  ReturnSliceSchema,
} from "../../../gen/latchkey/v1/edge_service_pb.ts";
import { NO_RIGHTS } from "../../../src/domain/access/scopes.ts";
import { RULES } from "../../../src/domain/edges/rules.ts";
import { isCompleteOidc } from "../../../src/domain/keys/oidc.ts";
import type { RateLimit } from "../../../src/domain/limits/caps.ts";
import type { Limiter } from "../../../src/domain/limits/limiter.ts";
import type { RecentRequest } from "../../../src/domain/requests/recent-request.ts";
import { RequestFault } from "../../../src/domain/vocabulary/request-fault.ts";
import { setCall } from "../../../src/interceptors/call.ts";
import { createErrorTranslator } from "../../../src/interceptors/errors.ts";
import type { CheckCaller } from "../../../src/interceptors/gate/check-caller.ts";
import { checkMessage } from "../../../src/interceptors/message-checks.ts";
import { createEdgeBudgets } from "../../../src/services/edge-budgets.ts";
import { createEdgeService } from "../../../src/services/edge-service.ts";
import { answerAuthCheck } from "../../../src/transport/endpoints/auth-check.ts";
import { answerEnvoyCheck } from "../../../src/transport/endpoints/envoy-check.ts";
import { answerOAuthToken, type OAuthTokenContext } from "../../../src/transport/endpoints/oauth-token.ts";
import { parseBinary } from "../../../src/transport/request/body.ts";
import { newCall } from "../../../src/transport/request/incoming-call.ts";
import { dashboardUser } from "../../harness/principals.ts";
import { TOKEN_ISSUER } from "../../harness/token-settings.ts";
import { clientAddress, requestOf } from "./heads.ts";
import { holds, type Parser } from "./parser.ts";
import { ASSERTION, NOW, RULE, tokenVerifier } from "./tokens.ts";

const translate = createErrorTranslator((err) => {
  if (!(err instanceof RequestFault)) throw err;
});
/** Admits each caller whose question can be read. */
const check: CheckCaller = async (call, readScopes) => {
  try {
    await call.costReader?.readCost();
    readScopes();
  } catch (err) {
    throw translate(err, call);
  }
  return { principal: dashboardUser({ rights: NO_RIGHTS, userId: "\u00e9 %" }), userId: "\u00e9 %" };
};

/** What a proxy asks: a target with its question, then a header on each line. */
const question: Parser = {
  seeds: [
    "/auth/check?scope=plans:read&cost=2",
    "/auth/check?scope=a:b&scope=c:d&path=/x?scope=*",
    "/auth/check?scopes=a",
    "/auth/check?cost=1001\nDPoP: a.b.c\nX-Forwarded-Method: GET\nX-Forwarded-Proto: https\nX-Forwarded-Host: a\nX-Forwarded-Uri: /b",
    "/auth/check\nDPoP: a\nX-Original-Method: GET\nX-Original-URL: https://a.example/b",
  ],
  words: ["scope=", "cost=", "path=", "&", "%2", "X-Forwarded-Uri: ", "X-Original-URL: ", "DPoP: a\n"],
  async parse(bytes) {
    const req = requestOf(bytes);
    const call = newCall(req, clientAddress);
    const { status, headers } = await answerAuthCheck(req, call, { check, resource: undefined, clientAddress });
    holds(status === 200 || status === 400, "a question is answered, or wrong");
    holds(
      headers.list.every((text) => /^[\x20-\x7e]*$/.test(text)),
      "headers are visible ASCII",
    );
  },
};

const DESCRIBED = create(CheckRequestSchema, {
  attributes: {
    source: { address: { socketAddress: { address: "203.0.113.7" } } },
    request: {
      http: {
        ...{ method: "GET", scheme: "https", host: "a.example", path: "/b?c" },
        headers: { "x-api-key": "sk_a", "x-request-id": "req-1", "x-forwarded-for": "203.0.113.7" },
        headerMap: {
          headers: [
            { key: "authorization", value: "Bearer a" },
            { key: "origin", rawValue: Buffer.from("é") },
          ],
        },
      },
    },
    contextExtensions: { scope: "plans:read plans:write", cost: "2", remove: "x-api-key authorization" },
  },
});
const GRPC_REQUEST = Buffer.from("/envoy.service.auth.v3.Authorization/Check\ncontent-type: application/grpc\n");

/** What Envoy describes. */
const envoy: Parser = {
  seeds: [DESCRIBED, create(CheckRequestSchema)].map((message) =>
    Buffer.from(toBinary(CheckRequestSchema, message)).toString("latin1"),
  ),
  words: ["\x0a\x05scope\x12\x01a", "\x0a\x06remove\x12\x06cookie", "x-api-key", "x-forwarded-for", "\x1a\x02\xff\xfe"],
  async parse(bytes) {
    const req = requestOf(GRPC_REQUEST);
    const envelope = Buffer.alloc(5);
    envelope.writeUInt32BE(bytes.length, 1);
    const call = newCall(req, clientAddress);
    const ctx = { check, resource: undefined, clientAddress };
    const { status, body } = await answerEnvoyCheck(ctx, req, call, Buffer.concat([envelope, bytes]));
    holds(status === 200, "the status of gRPC is 200");
    holds(/^[\w.-]{1,128}$/.test(call.requestId), "a request's id is short and plain");
    if (body.length > 0) fromBinary(CheckResponseSchema, (body as Uint8Array).subarray(5));
  },
};

const EXCHANGE_CONTEXT: OAuthTokenContext = {
  throttle: () => null,
  checkProof: async () => ({ jkt: "a", use: async () => {} }),
  rules: { findRuleOfAny: async (id) => (id === RULE.ruleId ? RULE : undefined) },
  usedOnce: { use: async () => true },
  catalogue: { isGrantable: () => true },
  tokenIssuer: TOKEN_ISSUER,
  isOwnIssuer: () => false,
  keys: { findSecretHash: async () => "a" },
  // Of the key only what decides is read.
  admission: { find: async () => ({ key: KEY, at: NOW, isTenantSuspended: false }) as never },
  tokens: tokenVerifier,
  keyClock: () => NOW,
  accessTokens: { addToken: async () => {}, hasRoom: async () => true },
  issuer: { sign: async () => "issued" },
};
const KEY = { permissions: ["plans:*"], expiresAt: null, revokedAt: null, disabledAt: null, rotatedTo: null };
const EXCHANGE = "urn:ietf:params:oauth:grant-type:token-exchange";
const FORM_REQUEST = Buffer.from("/oauth/token\ncontent-type: application/x-www-form-urlencoded\n");

/** The form of the token endpoint. */
const form: Parser = {
  seeds: [
    {
      grant_type: EXCHANGE,
      client_id: "fed_1",
      subject_token: ASSERTION,
      subject_token_type: "urn:ietf:params:oauth:token-type:jwt",
    },
    {
      grant_type: "urn:ietf:params:oauth:grant-type:jwt-bearer",
      client_id: "fed_1",
      assertion: ASSERTION,
      scope: "plans:read",
    },
    { grant_type: "password", username: "a" },
    { grant_type: EXCHANGE, client_id: "fed_1", subject_token: "a", subject_token_type: "a", actor_token: "a" },
    {
      grant_type: EXCHANGE,
      client_id: "fed_1",
      subject_token: "a",
      audience: "https://a.example",
      resource: TOKEN_ISSUER,
    },
  ].map((members) => new URLSearchParams(members).toString()),
  words: [
    ...[
      "grant_type=",
      "client_id=fed_1",
      "subject_token=",
      "assertion=",
      "subject_token_type=",
      "scope=",
      "&",
      "%",
      "+",
    ],
    ...[
      "urn%3Aietf%3Aparams%3Aoauth%3Atoken-type%3Ajwt",
      "requested_token_type=",
      "actor_token=",
      "resource=",
      ASSERTION,
    ],
  ],
  async parse(bytes) {
    const req = requestOf(FORM_REQUEST);
    const { status, body } = await answerOAuthToken(EXCHANGE_CONTEXT, req, newCall(req, clientAddress), bytes);
    const answer = JSON.parse(body.toString());
    if (status === 200) return holds(bytes.includes(ASSERTION.split(".")[1] ?? ""), "only the assertion is exchanged");
    holds(status === 400 && /^[a-z_]+$/.test(answer.error), "an error is one of OAuth's");
    holds(/^[\x20-\x7e]{1,600}$/.test(answer.error_description), "its description is our own text");
  },
};

const REPORT = create(ReportRequestSchema, {
  batchId: "a",
  uses: [{ keyId: "key_1", failure: "", count: 2n, atMs: BigInt(NOW.getTime()) }],
  requests: [
    {
      request: {
        ...{ requestId: "req-1", at: timestampFromDate(NOW), tenantId: "ten_1", caller: "secret_key" },
        ...{ address: "203.0.113.7", rpc: "a.B/C", scope: "plans:read", reason: "rate_limited", message: "a" },
      },
      failedCheck: "rate_limit",
    },
  ],
  impersonations: [
    {
      ...{ hourMs: BigInt(NOW.getTime()), tenantId: "ten_1", keyId: "key_1", userId: "user-1", calls: 2 },
      requestId: "req-1",
    },
  ],
});
const isInstant = (at: Date): boolean => !Number.isNaN(at.getTime()) && at <= NOW;
const edges = createEdgeService({
  ...{ matchEdgeToken: () => 1, followers: { hold: () => true } as never, tenantSubject: (id: string) => id },
  ...{ formatsSubject: "", readFormats: () => ({ formats: [] }), foreignKeys: { hashOf: () => undefined } },
  ...{
    keys: { findKeyBySecretHash: async () => undefined },
    tenants: { findTenant: async () => ({ isSuspended: false }) },
  },
  ...{
    tokens: tokenVerifier,
    isUsableOidc: isCompleteOidc,
    limiter: {} as never,
    usedOnce: { use: async () => true },
    settings: {} as never,
  },
  usage: {
    count(_keyId, { at, times = 1 }) {
      holds(isInstant(at) && Number.isSafeInteger(times) && times > 0, "uses are counted at an instant that has been");
      return false;
    },
  },
  requestRecorder: {
    record({ at, message }: RecentRequest) {
      holds(isInstant(at) && typeof message === "string", "a request is one that can be stored");
    },
  } as never,
  impersonations: {
    addCounted: ({ hour, calls }) => holds(isInstant(hour) && calls > 0, "calls were at an instant"),
  },
  clock: () => NOW,
  checkMessage,
  translate: (err) => err as Error,
  onFailure: () => {},
});

/** Holds that only questions come this far that keys can have. */
const limiter: Limiter = {
  take(_budgetId, limit, { cost = 1 } = {}) {
    holds(isLimit(limit) && cost >= 1 && cost <= 1_000, "a request spends from a limit, and fills none");
    return UNLIMITED_DECISION;
  },
  async peek(_budgetId, limit) {
    holds(isLimit(limit), "a budget has a limit");
    return { ...UNLIMITED_DECISION, atOnce: 1 };
  },
  slice(_budgetId, limit, { most }) {
    holds(isLimit(limit) && most > 0, "a slice is of a limit");
    return { granted: most, decision: UNLIMITED_DECISION, lifeMs: 1, takenAtMs: NOW.getTime() };
  },
  giveBack(_budgetId, _limit, { unspent }) {
    holds(unspent > 0, "what is given back fills the budget");
  },
};
const UNLIMITED_DECISION = { kind: "allow", limit: 1, remaining: 1, resetAt: NOW } as const;

function isLimit({ perUser, ...caps }: RateLimit): boolean {
  return [caps, perUser ?? caps].flatMap(Object.values).every((cap) => Number.isInteger(cap) && cap >= 0);
}

const ASKED = create(AskSliceSchema, {
  ...{ number: 1n, budgetId: "key_1", most: 5 },
  limit: { requestsPerMinute: 60, perUser: { burstSize: 1 } },
  spending: { cost: 2, user: "a", isShared: true },
});
const RETURNED = create(ReturnSliceSchema, { budgetId: "key_1", limit: { requestsPerMinute: 60 }, unspent: 1 });
const RESOLVED = create(ResolveRequestSchema, {
  ...{ edgeId: "a", rules: RULES },
  subject: { case: "secretHash", value: "a".repeat(43) },
});

/** What an edge sends. The first byte says what: a report, a question about a record or a budget, or what it gives back. */
const edge: Parser = {
  seeds: [
    `0${Buffer.from(toBinary(ReportRequestSchema, REPORT)).toString("latin1")}`,
    `1${Buffer.from(toBinary(ResolveRequestSchema, RESOLVED)).toString("latin1")}`,
    `2${Buffer.from(toBinary(AskSliceSchema, ASKED)).toString("latin1")}`,
    `3${Buffer.from(toBinary(ReturnSliceSchema, RETURNED)).toString("latin1")}`,
  ],
  words: ["secret_key", "\u0000", "\ud800", "insufficient_scope", "rate_limit"],
  async parse(bytes) {
    const req = requestOf(Buffer.from("/a\nauthorization: Bearer a\n"));
    const context = { values: setCall(createContextValues(), newCall(req, clientAddress)) } as never;
    const sent = bytes.subarray(1);
    switch (bytes[0]) {
      case 0x30:
        return edges.report(parseBinary(ReportRequestSchema, sent) as never, context);
      case 0x31:
        return edges.resolve(parseBinary(ResolveRequestSchema, sent) as never, context);
      case 0x32:
        return budgets.ask(parseBinary(AskSliceSchema, sent) as never);
      default:
        return budgets.takeBack(parseBinary(ReturnSliceSchema, sent) as never);
    }
  },
};
const budgets = createEdgeBudgets({
  ...{ limiter, checkMessage },
  onFailure: (err) => {
    throw err;
  },
});

export const DOORS = { question, envoy, form, edge };
