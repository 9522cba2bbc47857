import { hash } from "node:crypto";
import type { DescMessage, Message, MessageInitShape } from "@bufbuild/protobuf";
import type { HandlerContext, ServiceImpl } from "@connectrpc/connect";
import {
  type EdgeService,
  type EdgeSettings,
  type FollowRequest,
  type FollowResponseSchema,
  type ReportRequest,
  ReportRequestSchema,
  type ResolveRequest,
  ResolveRequestSchema,
  type ResolveResponseSchema,
  type UserToken,
} from "../../gen/latchkey/v1/edge_service_pb.ts";
import { bearerToken } from "../domain/access/credentials.ts";
import type { MatchSecret } from "../domain/access/secrets.ts";
import type { UsedOnce } from "../domain/access-tokens/used-once.ts";
import type { CountedImpersonations } from "../domain/audit/audit-trail.ts";
import { type Channel, createChannel } from "../domain/edges/channel.ts";
import type { Follower, Following } from "../domain/edges/following.ts";
import { RULES } from "../domain/edges/rules.ts";
import type { ForeignKeys } from "../domain/key-formats/foreign-keys.ts";
import type { ReadKeyFormats } from "../domain/key-formats/format-store.ts";
import type { KeyStore } from "../domain/keys/key-store.ts";
import type { IsUsableOidc } from "../domain/keys/oidc.ts";
import { expectationText, tokenExpectation } from "../domain/keys/oidc-expectation.ts";
import type { Limiter } from "../domain/limits/limiter.ts";
import type { RequestRecorder } from "../domain/requests/request-log.ts";
import type { TenantStates } from "../domain/tenants/tenant-store.ts";
import type { TokenVerifier } from "../domain/tokens/token-verifier.ts";
import type { UsageRecorder } from "../domain/usage/usage-store.ts";
import type { Clock } from "../domain/vocabulary/clock.ts";
import { Denial } from "../domain/vocabulary/denial.ts";
import { invalid } from "../domain/vocabulary/request-fault.ts";
import { type Call, callOf } from "../interceptors/call.ts";
import { createEdgeBudgets, type EdgeBudgets } from "./edge-budgets.ts";
import { fromEdgeImpersonations, fromEdgeRequest, fromFailure, toEdgeFormats, toEdgeKey } from "./edge-converter.ts";

export interface EdgeServiceContext {
  readonly matchEdgeToken: MatchSecret;
  readonly followers: Following;
  /** The subject of a tenant's record. */
  readonly tenantSubject: (tenantId: string) => string;
  readonly formatsSubject: string;
  /** Through the cache. */
  readonly readFormats: ReadKeyFormats;
  readonly foreignKeys: Pick<ForeignKeys, "hashOf">;
  readonly keys: Pick<KeyStore, "findKeyBySecretHash">;
  readonly tenants: TenantStates;
  readonly tokens: Pick<TokenVerifier, "verify">;
  readonly isUsableOidc: IsUsableOidc;
  readonly limiter: Limiter;
  readonly usage: Pick<UsageRecorder, "count">;
  readonly requestRecorder: Pick<RequestRecorder, "record">;
  readonly impersonations: CountedImpersonations;
  readonly usedOnce: Pick<UsedOnce, "use">;
  /** Without the address, which each edge has its own of. */
  readonly settings: EdgeSettings;
  readonly clock: Clock;
  /** Throws `RequestFault` for a message that breaks a rule, as of every other RPC. */
  readonly checkMessage: (schema: DescMessage, message: Message) => void;
  /** Makes an error safe to send. */
  readonly translate: (err: unknown, call: Call) => Error;
  readonly onFailure: (err: unknown) => void;
}

type ToEdge = MessageInitShape<typeof FollowResponseSchema>;
type Resolved = MessageInitShape<typeof ResolveResponseSchema>;

/** A batch that an edge could not report for longer is counted again, if it was counted at all. */
const REPORTED_MS = 3_600_000;

/** What edges need of a replica (ADR 59). */
export function createEdgeService(ctx: EdgeServiceContext): ServiceImpl<typeof EdgeService> {
  /** Throws what is safe to send. */
  async function checked<Output>({ values }: HandlerContext, run: () => Promise<Output>): Promise<Output> {
    const call = callOf(values);
    try {
      requireEdge(ctx.matchEdgeToken, call.credentials.authorization);
      return await run();
    } catch (err) {
      throw ctx.translate(err, call);
    }
  }

  return {
    async *follow(requests, context) {
      const { address, credentials } = callOf(context.values);
      const budgets = createEdgeBudgets(ctx);
      const channel = await checked(context, async () => createChannel<ToEdge>());
      const follower = ctx.followers.follow(
        (message) => {
          const subjects = message.kind === "drop" ? [...message.subjects] : [];
          const drop = { number: BigInt(message.number), subjects, all: message.kind === "drop_all" };
          channel.put({ message: { case: "drop", value: drop } });
        },
        () => channel.end(),
      );
      const settings = { ...ctx.settings, address: address ?? "" };
      const welcome = { edgeId: follower.edgeId, rules: RULES, settings };
      channel.put({ message: { case: "welcome", value: welcome } });
      void (async () => {
        for await (const request of requests) {
          // Full, because the edge does not read.
          if (channel.isEnded) return;
          // The operator may have taken the token away since.
          if (request.message.case === "askLease") requireEdge(ctx.matchEdgeToken, credentials.authorization);
          answer({ clock: ctx.clock, follower, budgets, channel }, request);
        }
      })()
        // The edge has disconnected, or has sent an invalid message.
        .catch(() => undefined)
        .finally(() => {
          channel.end();
          follower.leave();
        });
      try {
        yield* channel.messages;
      } finally {
        follower.leave();
      }
    },
    resolve: (request, context) => checked(context, () => resolve(ctx, request)),
    report: (request, context) => checked(context, () => report(ctx, request)),
  };
}

function requireEdge(match: MatchSecret, authorization: readonly string[]): void {
  const [value, another] = authorization;
  if (value === undefined || another !== undefined) throw new Denial("missing_credentials", { message: MISSING });
  const token = bearerToken(value);
  if (token === undefined || match(token) === undefined)
    throw new Denial("jwt_malformed", { message: "This is not the token of edges; send one of EDGE_TOKEN." });
}

const MISSING = "Edges call with Authorization: Bearer and one of the service's EDGE_TOKEN.";

/** The replica's state of a stream. */
interface EdgeStream extends Pick<EdgeServiceContext, "clock"> {
  readonly follower: Follower;
  readonly budgets: EdgeBudgets;
  readonly channel: Channel<ToEdge>;
}

function answer({ clock, follower, budgets, channel }: EdgeStream, { message }: FollowRequest): void {
  switch (message.case) {
    case "askLease": {
      const { number } = message.value;
      const lease = { number, leftMs: follower.grant(), nowMs: BigInt(clock().getTime()) };
      channel.put({ message: { case: "lease", value: lease } });
      return;
    }
    case "dropped":
      follower.acknowledge(Number(message.value.number));
      return;
    case "askSlice":
      void budgets.ask(message.value).then((value) => channel.put({ message: { case: "slice", value } }));
      return;
    case "returnSlice":
      void budgets.takeBack(message.value);
      return;
    default:
  }
}

async function resolve(ctx: EdgeServiceContext, request: ResolveRequest): Promise<Resolved> {
  ctx.checkMessage(ResolveRequestSchema, request);
  const { edgeId, subject, rules } = request;
  if (rules !== RULES) throw invalid("rules", `must be ${RULES}: use an edge and a service of one version`);
  switch (subject.case) {
    case "secretHash": {
      // Before the read. A mark that is taken away while it lasts would be missed after it.
      const mayKeep = ctx.followers.hold(edgeId, subject.value);
      const key = await ctx.keys.findKeyBySecretHash(subject.value);
      if (key === undefined) return { record: { case: "missing", value: true } };
      return { record: { case: "key", value: toEdgeKey(key, ctx.isUsableOidc) }, mayKeep };
    }
    case "tenantId": {
      const mayKeep = ctx.followers.hold(edgeId, ctx.tenantSubject(subject.value));
      const { isSuspended } = await ctx.tenants.findTenant(subject.value);
      return { record: { case: "tenantSuspended", value: isSuspended }, mayKeep };
    }
    case "keyFormats": {
      const mayKeep = ctx.followers.hold(edgeId, ctx.formatsSubject);
      return { record: { case: "keyFormats", value: toEdgeFormats(await ctx.readFormats()) }, mayKeep };
    }
    case "pepperedKey":
      return pepperedHash(ctx, subject.value);
    case "userToken":
      return verified(ctx, subject.value);
    default:
      throw invalid("subject", "is required");
  }
}

/** An edge keeps only hashes of keys that there are: guesses would evict them. */
async function pepperedHash(ctx: EdgeServiceContext, text: string): Promise<Resolved> {
  const secretHash = await ctx.foreignKeys.hashOf(text);
  if (secretHash === undefined) return {};
  const mayKeep = (await ctx.keys.findKeyBySecretHash(secretHash)) !== undefined;
  return { record: { case: "secretHash", value: secretHash }, mayKeep };
}

/** The key is read again, so that an edge can have a token checked only by the configuration of a key. */
async function verified(ctx: EdgeServiceContext, { secretHash, token }: UserToken): Promise<Resolved> {
  const key = await ctx.keys.findKeyBySecretHash(secretHash);
  if (key === undefined || !ctx.isUsableOidc(key.oidc)) return {};
  const expectation = tokenExpectation(key.tenantId, key.oidc);
  const expected = expectationText(expectation);
  try {
    await ctx.tokens.verify(token, expectation);
    return { record: { case: "token", value: { expected } }, mayKeep: true };
  } catch (err) {
    if (!(err instanceof Denial)) throw err;
    const { reason, message, retryAfterMs, dpopError } = err;
    const denial = { reason, message, retryAfterMs, wrongSender: dpopError === "invalid_token" };
    return { record: { case: "token", value: { expected, denial } } };
  }
}

async function report(ctx: EdgeServiceContext, request: ReportRequest): Promise<object> {
  ctx.checkMessage(ReportRequestSchema, request);
  // All of it, before any of it counts: what is wrong is wrong when it is sent again.
  const uses = request.uses.map(({ keyId, failure, count, atMs }, index) => ({
    keyId,
    failure: fromFailure(failure, `uses[${index}].failure`) ?? undefined,
    times: Number(count),
    atMs: Number(atMs),
  }));
  const requests = request.requests.map((one, index) => fromEdgeRequest(one, `requests[${index}]`));
  const impersonations = request.impersonations.map(fromEdgeImpersonations);
  const now = ctx.clock();
  const batch = hash("sha256", `edge report ${request.batchId}`, "buffer");
  if (!(await ctx.usedOnce.use(batch, new Date(now.getTime() + REPORTED_MS)))) return {};
  // An edge's clock continues the database's, and may be a little ahead.
  const past = (atMs: number): Date => new Date(Math.min(atMs, now.getTime()));
  for (const { keyId, atMs, ...use } of uses) ctx.usage.count(keyId, { ...use, at: past(atMs) });
  for (const one of requests) ctx.requestRecorder.record({ ...one, at: past(one.at.getTime()) });
  for (const counted of impersonations)
    ctx.impersonations.addCounted({ ...counted, hour: past(counted.hour.getTime()) });
  return {};
}
