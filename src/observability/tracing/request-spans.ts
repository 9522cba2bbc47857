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
import { SECRET_PATTERN } from "../../domain/keys/secret.ts";
import type { Call } from "../../interceptors/call.ts";
import { AUTH_CHECK, AUTH_CHECK_PATH } from "../../transport/endpoints/auth-check.ts";
import { PROBE_PATHS } from "../../transport/endpoints/probes.ts";
import { pathOf } from "../../transport/request/incoming-call.ts";
import type { AnsweredRequest, RequestSpans } from "../log/access-log.ts";
import { isKnownMethod, loggablePath } from "../log/loggable.ts";
import { recordSpan } from "./record-span.ts";

const HEALTH_SERVICE = `${Health.typeName}/`;

const propagator = new W3CTraceContextPropagator();

/**
 * A SERVER span of each answer, of what the access log has of it. Attributes are named by OpenTelemetry's semantic
 * conventions, of 2026: a procedure is whole in `rpc.method`, and `rpc.service` is no more.
 */
export function createRequestSpans(tracer: Tracer): RequestSpans {
  return {
    answered(req, status, call, durationMs) {
      if (isProbe(req, call)) return undefined;
      return recordSpan(tracer, {
        // A path that is none of ours is no name: there would be as many names as paths.
        name: call.procedure ?? methodOf(req) ?? "HTTP",
        kind: SpanKind.SERVER,
        durationMs,
        attributes: { ...httpAttributes(req, status, call), ...rpcAttributes(req, call), ...callAttributes(call) },
        isFault: status >= 500,
        parent: parentOf(req),
      });
    },
  };
}

/** Asked by machines every few seconds: a trace of that is of use to nobody. */
function isProbe(req: AnsweredRequest, { procedure }: Call): boolean {
  return procedure === undefined ? PROBE_PATHS.has(pathOf(req)) : procedure.startsWith(HEALTH_SERVICE);
}

function methodOf({ method = "" }: AnsweredRequest): string | undefined {
  return isKnownMethod(method) ? method : undefined;
}

function httpAttributes(req: AnsweredRequest, status: number, { procedure }: Call): Attributes {
  return {
    "http.request.method": methodOf(req) ?? "_OTHER",
    "http.response.status_code": status,
    "url.path": procedure === undefined ? loggablePath(req.url ?? "") : pathOf(req),
    "error.type": status >= 500 ? String(status) : undefined,
  };
}

function rpcAttributes({ headers }: AnsweredRequest, { procedure }: Call): Attributes {
  if (procedure === undefined) return {};
  if (procedure === AUTH_CHECK) return { "http.route": AUTH_CHECK_PATH };
  const isGrpc = headers?.["content-type"]?.toLowerCase().startsWith("application/grpc") === true;
  return { "rpc.system.name": isGrpc ? "grpc" : "connectrpc", "rpc.method": procedure };
}

function callAttributes({ requestId, denial, principal, presented }: Call): Attributes {
  const key = principal === undefined || principal.kind === "dashboard_user" ? presented?.key : principal.key;
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
  // It goes on to the collector as it is. No tracing system puts a key into it, but people paste anything anywhere.
  const isSane = typeof tracestate === "string" && !SECRET_PATTERN.test(tracestate);
  return propagator.extract(ROOT_CONTEXT, isSane ? { traceparent, tracestate } : { traceparent }, defaultTextMapGetter);
}
