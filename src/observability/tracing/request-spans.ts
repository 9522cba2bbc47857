import {
  type Attributes,
  type Context,
  defaultTextMapGetter,
  ROOT_CONTEXT,
  SpanKind,
  type Tracer,
} from "@opentelemetry/api";
import { W3CTraceContextPropagator } from "@opentelemetry/core";
import { Health } from "../../../gen/health/v1/health_pb.ts";
import { UNCHECKED } from "../../domain/access/facts.ts";
import { SECRET_PATTERN } from "../../domain/credentials/secret.ts";
import type { Call } from "../../interceptors/call.ts";
import type { AnswerCode, Outcome } from "../../transport/answer/answer-code.ts";
import type { AnsweredRequest } from "../../transport/answer/answered.ts";
import { AUTH_CHECK, AUTH_CHECK_PATH } from "../../transport/endpoints/auth-check.ts";
import { PROBE_PATHS } from "../../transport/endpoints/probes.ts";
import { pathOf } from "../../transport/request/incoming-call.ts";
import type { RequestSpans } from "../log/access-log.ts";
import { isKnownMethod, loggablePath } from "../log/loggable.ts";
import { recordSpan } from "./record-span.ts";

const HEALTH_SERVICE = `${Health.typeName}/`;

const propagator = new W3CTraceContextPropagator();

/** The codes that mean a fault of the server, in the conventions for gRPC and for Connect. */
const FAULTS: ReadonlySet<AnswerCode> = new Set([
  "unknown",
  "deadline_exceeded",
  "unimplemented",
  "internal",
  "unavailable",
  "data_loss",
]);

/**
 * Records a SERVER span of each answer, with the facts of the access log. Attributes follow OpenTelemetry's semantic
 * conventions, version 1.45: `rpc.method` has the full procedure, and `rpc.service` no longer exists.
 */
export function createRequestSpans(tracer: Tracer): RequestSpans {
  return {
    answered(req, outcome, call, durationMs) {
      if (isProbe(req, call)) return undefined;
      const error = errorOf(req, outcome, call);
      return recordSpan(tracer, {
        // An unknown path is not used as the name: there would be as many names as paths.
        name: call.procedure ?? methodOf(req) ?? "HTTP",
        kind: SpanKind.SERVER,
        durationMs,
        attributes: {
          ...httpAttributes(req, outcome, call),
          ...rpcAttributes(req, outcome, call),
          ...callAttributes(call),
          "error.type": error,
        },
        isFault: error !== undefined,
        parent: parentOf(req),
      });
    },
  };
}

/** Machines send probes every few seconds. Traces of them are useless. */
function isProbe(req: AnsweredRequest, { procedure }: Call): boolean {
  return procedure === undefined ? PROBE_PATHS.has(pathOf(req)) : procedure.startsWith(HEALTH_SERVICE);
}

function methodOf({ method = "" }: AnsweredRequest): string | undefined {
  return isKnownMethod(method) ? method : undefined;
}

/** The code of an RPC, or the status of any other request. Undefined: success, or the client's fault. */
function errorOf(req: AnsweredRequest, { status, code }: Outcome, call: Call): string | undefined {
  if (isRpc(call)) return FAULTS.has(code) ? statusCodeOf(req, code) : undefined;
  return status >= 500 ? String(status) : undefined;
}

function isRpc({ procedure }: Call): boolean {
  return procedure !== undefined && procedure !== AUTH_CHECK;
}

function httpAttributes(req: AnsweredRequest, { status }: Outcome, { procedure, address }: Call): Attributes {
  return {
    "http.request.method": methodOf(req) ?? "_OTHER",
    "http.response.status_code": status,
    "client.address": address ?? undefined,
    "url.path": procedure === undefined ? loggablePath(req.url ?? "") : pathOf(req),
  };
}

function rpcAttributes(req: AnsweredRequest, { code }: Outcome, call: Call): Attributes {
  if (call.procedure === AUTH_CHECK) return { "http.route": AUTH_CHECK_PATH };
  if (!isRpc(call)) return {};
  const statusCode = statusCodeOf(req, code);
  return {
    "rpc.system.name": isGrpc(req) ? "grpc" : "connectrpc",
    "rpc.method": call.procedure,
    "rpc.status_code": statusCode,
    // Its name before version 1.45, which collectors and dashboards may still use.
    "rpc.response.status_code": statusCode,
  };
}

function isGrpc({ headers }: AnsweredRequest): boolean {
  return headers?.["content-type"]?.toLowerCase().startsWith("application/grpc") === true;
}

/** The code as its system spells it. An answer of Connect has one only if it is an error. */
function statusCodeOf(req: AnsweredRequest, code: AnswerCode): string | undefined {
  if (isGrpc(req)) return code === "canceled" ? "CANCELLED" : code.toUpperCase();
  return code === "ok" ? undefined : code;
}

function callAttributes({ requestId, denial, verdict }: Call): Attributes {
  const { principal, presented } = verdict ?? UNCHECKED;
  const key = presented?.key;
  return {
    "latchkey.request_id": requestId,
    "latchkey.denial_reason": denial?.reason,
    "latchkey.caller": principal?.kind,
    "latchkey.tenant_id": principal === undefined ? presented?.key.tenantId : (principal.tenantId ?? undefined),
    "latchkey.key_id": key?.keyId,
  };
}

function parentOf({ headers }: AnsweredRequest): Context {
  const { traceparent, tracestate } = headers ?? {};
  // It is passed on to the collector unchanged. People may paste a key into it.
  const isSane = typeof tracestate === "string" && !SECRET_PATTERN.test(tracestate);
  return propagator.extract(ROOT_CONTEXT, isSane ? { traceparent, tracestate } : { traceparent }, defaultTextMapGetter);
}
