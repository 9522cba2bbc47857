import { ConnectError } from "@connectrpc/connect";
import { AuthService } from "../../gen/latchkey/v1/auth_service_pb.ts";
import type { EdgeSettings } from "../../gen/latchkey/v1/edge_service_pb.ts";
import { callingUser } from "../domain/access/acting-user.ts";
import { userIdIn } from "../domain/access/impersonation.ts";
import { actingForOf, keyOf, type Principal } from "../domain/access/principal.ts";
import { verifyCaller } from "../domain/access/verify.ts";
import { parseRange } from "../domain/addresses/address-range.ts";
import type { Metadata } from "../domain/credentials/metadata.ts";
import type { Awaitable } from "../domain/vocabulary/awaitable.ts";
import { newId } from "../domain/vocabulary/ids.ts";
import { RequestFault } from "../domain/vocabulary/request-fault.ts";
import type { Call } from "../interceptors/call.ts";
import { failedAnswer } from "../transport/answer/failed-answer.ts";
import { setLimitHeaders } from "../transport/answer/limit-headers.ts";
import { markAnswer } from "../transport/answer/mark.ts";
import { PlainHeaders } from "../transport/answer/plain-headers.ts";
import { createClientAddress } from "../transport/request/client-address.ts";
import { isCost } from "../transport/request/cost.ts";
import { checkedHeaders } from "../transport/request/incoming-call.ts";
import { EdgeCall } from "./edge-call.ts";
import type { EdgeGate } from "./edge-gate.ts";

/** A call to decide on, as a guard puts it to Verify. */
export interface EdgeQuestion {
  /** Names and values in turns, as Node's `rawHeaders`: what is checked of the request, and where it comes from. */
  readonly headers: readonly string[];
  readonly scopes: readonly string[];
  /** Undefined: 1. */
  readonly cost: number | undefined;
}

/** `headers`: names and values in turns. */
export type EdgeVerdict =
  | { readonly kind: "admitted"; readonly caller: EdgeCaller; readonly headers: readonly string[] }
  | {
      readonly kind: "refused";
      readonly status: number;
      readonly headers: readonly string[];
      readonly body: string;
    };

/** A caller, as Verify answers it. */
export interface EdgeCaller {
  readonly kind: "secret_key" | "publishable_key";
  readonly tenantId: string;
  readonly keyId: string;
  readonly userId: string | undefined;
  readonly permissions: readonly string[];
  readonly actingFor: string | undefined;
  readonly externalId: string | undefined;
  readonly metadata: Metadata | undefined;
}

/** Decides a call. Undefined: the service must be asked. */
export type Verdicts = (question: EdgeQuestion) => Awaitable<EdgeVerdict | undefined>;

const SCOPES_MAX = 64;
const VERIFY = AuthService.method.verify;
const PROCEDURE = `${AuthService.typeName}/${VERIFY.name}`;
const newRequestId = (): string => newId("req");

/** By an edge's gate, for calls with keys. All other callers are the service's. */
export function createVerdicts(settings: EdgeSettings, { gate, authority, translate, isVerdict }: EdgeGate): Verdicts {
  const { proxyRanges, proxyHeader } = settings;
  const trusted = proxyRanges.map((text) => parseRange(text)).filter((range) => "first" in range);
  const header = proxyHeader === "X-Forwarded-For" || proxyHeader === "Forwarded" ? proxyHeader : null;
  const clientAddress = createClientAddress({ ranges: trusted, header });
  // The service sees the calls of the guarded service, whose address this is.
  const socket = { remoteAddress: settings.address || undefined } as Parameters<typeof clientAddress.of>[0]["socket"];

  /** Without trusted proxies it is the same for all calls. */
  const fixedAddress = trusted.length === 0 ? clientAddress.of({ socket, rawHeaders: [] }) : undefined;

  function callOf(rawHeaders: readonly string[], cost: number | undefined): Call {
    const { credentials, origin, isFromBrowser } = checkedHeaders(rawHeaders);
    const address =
      fixedAddress === undefined ? clientAddress.of({ socket, rawHeaders: rawHeaders as string[] }) : fixedAddress;
    const costReader = cost === undefined ? undefined : { readCost: () => cost };
    return new EdgeCall(
      { credentials, origin, isFromBrowser, address, procedure: PROCEDURE, costReader },
      newRequestId,
    );
  }

  function admit(principal: Principal, { scopes }: EdgeQuestion, call: Call): EdgeVerdict | undefined {
    const key = keyOf(principal);
    if (key === undefined || principal.tenantId === null) return undefined;
    const asked = scopes.map((scope, index) => [`scopes[${index}]`, scope] as const);
    verifyCaller(principal, { scopes: asked, tenantOptional: false }, authority);
    gate.conclude(call);
    const headers = new PlainHeaders();
    if (call.limit !== undefined) setLimitHeaders(headers, call.limit);
    const caller: EdgeCaller = {
      kind: key.type === "secret" ? "secret_key" : "publishable_key",
      tenantId: principal.tenantId,
      keyId: key.keyId,
      userId: callingUser(principal) ?? undefined,
      permissions: principal.rights.scopes,
      actingFor: actingForOf(principal),
      externalId: key.externalId === "" ? undefined : key.externalId,
      // A copy: a handler may change what it gets, and the record is of all calls.
      metadata: key.metadata === null ? undefined : structuredClone(key.metadata),
    };
    return { kind: "admitted", caller, headers: headers.list };
  }

  function refuse(err: unknown, call: Call): EdgeVerdict | undefined {
    const error = err instanceof ConnectError ? err : translate(err, call);
    if (!isVerdict(call)) return undefined;
    const answer = failedAnswer(error, call);
    gate.conclude(call);
    markAnswer(answer, call, undefined, undefined);
    return { kind: "refused", status: answer.status, headers: answer.headers.list, body: answer.body };
  }

  function finish(principal: Principal, question: EdgeQuestion, call: Call): EdgeVerdict | undefined {
    try {
      return admit(principal, question, call);
    } catch (err) {
      return refuse(err, call);
    }
  }

  /** What the service may answer with 400. It is found before anything is spent, since the service spends for it, too. */
  function isFaulty({ scopes, cost }: EdgeQuestion, { onBehalfOf }: Call["credentials"]): boolean {
    if (scopes.length > SCOPES_MAX || !scopes.every(authority.catalogue.isAction)) return true;
    if (cost !== undefined && !isCost(cost)) return true;
    return onBehalfOf.length > 0 && userIdIn(onBehalfOf) instanceof RequestFault;
  }

  return (question) => {
    const { headers, cost } = question;
    const call = callOf(headers, cost);
    if (call.credentials.apiKey.length === 0 || isFaulty(question, call.credentials)) return undefined;
    const checked = gate.check(VERIFY, call);
    if (!(checked instanceof Promise)) return finish(checked, question, call);
    return checked.then(
      (principal) => finish(principal, question, call),
      (err: unknown) => refuse(err, call),
    );
  };
}
