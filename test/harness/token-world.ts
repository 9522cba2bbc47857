import type { Admission, PresentedKey } from "../../src/domain/access/admission.ts";
import { mayUse } from "../../src/domain/access/scopes.ts";
import type { AccessTokenRecord } from "../../src/domain/credentials/access-token.ts";
import type { KeyRecord } from "../../src/domain/credentials/key.ts";
import { hashSecret, makeSecret } from "../../src/domain/credentials/secret.ts";
import type { KeyPatch } from "../../src/domain/keys/key-change.ts";
import { newId } from "../../src/domain/vocabulary/ids.ts";
import type { ServiceGateContext } from "../../src/interceptors/gate/service-gate.ts";
import { createAdmission } from "../../src/store/limits/admission.ts";
import { createMemoryLimiter } from "../../src/store/limits/memory-limiter.ts";
import { newKey } from "../store/records.ts";
import { ACT } from "./act.ts";
import { newCall, START, startGate } from "./memory-gate.ts";
import { createMemoryKeys } from "./memory-keys.ts";
import { startMemoryTokens } from "./memory-tokens.ts";
import { newAccessToken } from "./new-access-token.ts";

/** Parts of the gate that are to decide otherwise than they should. */
export type BreakGate = (ctx: ServiceGateContext) => Partial<ServiceGateContext>;

/** A step of a world: a change, after which every token is used. */
export type Step =
  | { readonly kind: "key"; readonly patch: KeyPatch }
  /** Null: it does not expire. */
  | { readonly kind: "key_expires"; readonly inSeconds: number | null }
  | { readonly kind: "suspend"; readonly isSuspended: boolean }
  | {
      readonly kind: "issue";
      readonly scopes: readonly string[];
      readonly userId: string | null;
      readonly seconds: number;
    }
  | { readonly kind: "revoke"; readonly token: number }
  | { readonly kind: "rule"; readonly token: number; readonly isOff: boolean }
  | { readonly kind: "wait"; readonly seconds: number };

/** How a token is used. */
export interface Use {
  readonly path: string;
  /** The scope that its RPC asks for. Null: none. */
  readonly scope: string | null;
  readonly onBehalfOf: string | null;
}

/** Which actions the rights of a caller are compared for. */
const ACTIONS = [
  "plans:read",
  "plans:write",
  "conversations:read",
  "users:read",
  "users:impersonate",
  "api_keys:admin",
];
const IMPERSONATE = "users:impersonate";

interface Issued {
  readonly text: string;
  readonly record: Pick<AccessTokenRecord, "tokenId" | "scopes" | "userId"> & { readonly ruleId: string };
  readonly expiresAt: Date;
  isRevoked: boolean;
  isRuleOff: boolean;
}

/**
 * A gate on a clock of its own, with one key and its tokens, and beside it what they may do by the rules: written down here a
 * second time, from what the world has done and not from what the gate reads.
 */
export async function startTokenWorld(breakGate: BreakGate = () => ({})) {
  let nowMs = START.getTime();
  const clock = () => new Date(nowMs);
  const keys = createMemoryKeys();
  const tokens = await startMemoryTokens(clock);
  let isSuspended = false;
  const admission: Admission = createAdmission({
    keys,
    tenants: { findTenant: () => ({ isSuspended }) },
    limiter: createMemoryLimiter(clock),
    clock,
  });
  const { gate, methodOf } = await startGate((ctx) => {
    const parts = { ...ctx, admission, tokenIssuer: tokens.issuer, accessTokens: tokens, clock };
    return { ...parts, ...breakGate(parts) };
  });
  let key: KeyRecord;
  let secretHash: string;
  let issued: Issued[] = [];

  /** Forgets the key and its tokens, and begins with a new one. */
  async function begin(permissions: readonly string[]): Promise<void> {
    const { record } = newKey({ permissions });
    secretHash = hashSecret(makeSecret("secret"));
    await keys.insertKey({ record, secretHash }, ACT);
    key = record;
    isSuspended = false;
    issued = [];
  }

  async function patchKey(patch: KeyPatch): Promise<void> {
    const changed = await keys.updateKeyUnderLock(key.tenantId, key.keyId, () => ({ patch }), ACT);
    if (changed !== undefined) key = changed;
  }

  async function take(step: Step): Promise<void> {
    const token = "token" in step ? issued[step.token % Math.max(issued.length, 1)] : undefined;
    switch (step.kind) {
      case "key":
        return patchKey(step.patch);
      case "key_expires":
        return patchKey({ expiresAt: step.inSeconds === null ? null : new Date(nowMs + step.inSeconds * 1_000) });
      case "suspend":
        isSuspended = step.isSuspended;
        return;
      case "issue":
        return issue(step);
      case "revoke":
        if (token === undefined) return;
        token.isRevoked = true;
        return tokens.change(token.record.tokenId, { revokedAt: clock() });
      case "rule":
        if (token === undefined) return;
        token.isRuleOff = step.isOff;
        return tokens.setRuleOff(token.record.ruleId, step.isOff);
      case "wait":
        nowMs += step.seconds * 1_000;
        return;
      default:
        return step satisfies never;
    }
  }

  async function issue({ scopes, userId, seconds }: Extract<Step, { kind: "issue" }>): Promise<void> {
    const record = newAccessToken({
      ...{ keyId: key.keyId, tenantId: key.tenantId, secretHash, scopes, userId, ruleId: newId("fed") },
      expiresAt: new Date(Math.floor(nowMs / 1_000 + seconds) * 1_000),
    });
    const { text } = await tokens.issue(record);
    const { tokenId, ruleId, expiresAt } = record;
    issued.push({
      ...{ text, expiresAt, record: { tokenId, scopes, userId, ruleId: ruleId ?? "" } },
      ...{ isRevoked: false, isRuleOff: false },
    });
  }

  const presented = (): PresentedKey => ({ key, at: clock(), isTenantSuspended: isSuspended });

  /** Why a token is to be refused. Undefined: it is to be admitted, for the user of `expectedUser`. */
  async function expectedReason(token: Issued, { scope, onBehalfOf }: Use): Promise<string | undefined> {
    const now = clock();
    const { scopes, userId } = token.record;
    const may = (action: string) => reaches(key.permissions, action) && reaches(scopes, action);
    if (now >= token.expiresAt) return "jwt_expired";
    if (token.isRevoked || token.isRuleOff) return "token_revoked";
    if (key.revokedAt !== null) return "api_key_revoked";
    if (key.disabledAt !== null || isSuspended) return "api_key_disabled";
    if (key.expiresAt !== null && now >= key.expiresAt) return "api_key_expired";
    if (key.allowedIps.length > 0) return "origin_not_allowed";
    if ((await admission.peek(presented())).atOnce < 1) return "rate_limited";
    if (scope !== null && !may(scope)) return "insufficient_scope";
    if (userId !== null) {
      const isAllowed = reaches(key.permissions, IMPERSONATE) && (onBehalfOf ?? userId) === userId;
      return isAllowed ? undefined : "insufficient_scope";
    }
    return onBehalfOf === null || may(IMPERSONATE) ? undefined : "insufficient_scope";
  }

  /** Uses a token, and returns what is wrong with the gate's decision, as a sentence. Undefined: nothing is. */
  async function problemOf(token: Issued, use: Use): Promise<string | undefined> {
    const expected = await expectedReason(token, use);
    const isSpent = expected === undefined || expected === "insufficient_scope";
    const left = (await admission.peek(presented())).remaining;
    const call = newCall({
      authorization: [`Bearer ${token.text}`],
      onBehalfOf: use.onBehalfOf === null ? [] : [use.onBehalfOf],
    });
    await Promise.resolve()
      .then(() => gate.check(methodOf(use.path), call))
      .catch(() => undefined);
    const { denial, verdict } = call;
    const principal = verdict?.principal;
    if (denial?.reason !== expected)
      return `it is ${denial?.reason ?? "admitted"}, and must be ${expected ?? "admitted"}`;
    const spent = left - (await admission.peek(presented())).remaining;
    const mustSpend = isSpent && key.rateLimit.requestsPerMinute > 0 ? 1 : 0;
    if (spent !== mustSpend) return `it spent ${spent} of the key's budget, and must spend ${mustSpend}`;
    if (expected !== undefined) return undefined;
    if (principal?.kind !== "secret_key") return `its caller is ${principal?.kind}`;
    if (principal.tenantId !== key.tenantId || principal.key.keyId !== key.keyId) return "its caller is another key";
    if (principal.onBehalfOf !== (token.record.userId ?? use.onBehalfOf)) return `it acts for ${principal.onBehalfOf}`;
    const wrong = ACTIONS.find(
      (action) =>
        mayUse(principal.rights, action) !== (reaches(key.permissions, action) && reaches(token.record.scopes, action)),
    );
    return wrong && `its right to ${wrong} is wrong`;
  }

  return {
    begin,
    take,
    /** Uses each token in each way. Returns the first problem. */
    async firstProblem(uses: readonly Use[]): Promise<string | undefined> {
      for (const token of issued) {
        for (const use of uses) {
          const problem = await problemOf(token, use);
          if (problem !== undefined) return `a token with ${token.record.scopes.join(" ")}: ${problem}`;
        }
      }
      return undefined;
    },
  };
}

/** Whether one of the scopes grants an action. */
function reaches(scopes: readonly string[], action: string): boolean {
  const [domain] = action.split(":");
  return scopes.some((scope) => scope === "*" || scope === action || scope === `${domain}:*`);
}
