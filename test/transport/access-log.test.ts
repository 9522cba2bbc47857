import fc from "fast-check";
import { pino } from "pino";
import { Registry } from "prom-client";
import { describe, expect, test } from "vitest";
import { UNCHECKED } from "../../src/domain/access/facts.ts";
import { NO_RIGHTS } from "../../src/domain/access/scopes.ts";
import { Denial } from "../../src/domain/vocabulary/denial.ts";
import type { Call } from "../../src/interceptors/call.ts";
import { createAccessLog } from "../../src/observability/log/access-log.ts";
import { dashboardUser } from "../harness/principals.ts";
import { newKey } from "../store/records.ts";

const HOSTILE = 'a"b\\c\n\u2028\u0000{}\u009b\u0085\u202e';
const { record: key } = newKey({ tenantId: HOSTILE });

/** What is logged of a call. */
function lineOf(call: Partial<Call>, url = "/", traceparent?: string): string {
  const lines: string[] = [];
  const writeLine = (makeLine: () => string) => void lines.push(makeLine());
  const log = pino({}, { write: (line: string) => void lines.push(line) });
  const accessLog = createAccessLog({ log, reportError: () => {}, writeLine, metrics: new Registry() });
  const req = { method: "GET", url };
  const credentials = { apiKey: [], authorization: [], onBehalfOf: [], dpop: [] };
  accessLog.answered(
    req,
    { status: 401, code: "unauthenticated" },
    {
      requestId: "req_1",
      credentials,
      traceparent,
      address: "2001:db8::1",
      origin: null,
      isFromBrowser: false,
      ...call,
    },
    1.23456,
  );
  expect(lines).toHaveLength(1);
  // Nor is there an end of a line, or a command to a terminal, for any other reader.
  expect(lines[0]).toMatch(/^[^\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]+\n$/u);
  return lines[0] ?? "";
}

/** The same line, parsed. */
function logged(call: Partial<Call>, url?: string): unknown {
  return JSON.parse(lineOf(call, url));
}

const COMMON = {
  level: 30,
  request_id: "req_1",
  status: 401,
  code: "unauthenticated",
  client_address: "2001:db8::1",
  duration_ms: 1.235,
  msg: "request",
};
const TIME = { time: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/) };

describe("an access log line is one line of JSON", () => {
  test("of an unknown path, without any part that could be a key", () => {
    expect(logged({}, `/x"y/${"k".repeat(40)}/z?secret`)).toEqual({
      ...COMMON,
      ...TIME,
      procedure: "",
      method: "GET",
      path: '/x"y/.../z',
    });
  });

  test("of a denied key, whatever its tenant's name", () => {
    const presented = { key, at: new Date(), isTenantSuspended: false };
    expect(
      logged({ procedure: "s/M", verdict: { ...UNCHECKED, presented }, denial: new Denial("api_key_revoked") }),
    ).toEqual({
      ...COMMON,
      ...TIME,
      procedure: "s/M",
      denial_reason: "api_key_revoked",
      tenant_id: HOSTILE,
      key_id: key.keyId,
    });
  });

  test.each([
    [dashboardUser({ userId: HOSTILE, tenantId: null }), { tenant_id: null, user_id: HOSTILE }],
    [
      { kind: "secret_key", key, tenantId: HOSTILE, onBehalfOf: null, rights: NO_RIGHTS },
      { tenant_id: HOSTILE, key_id: key.keyId, user_id: null },
    ],
    [
      { kind: "publishable_key", key, tenantId: HOSTILE, userId: HOSTILE, rights: NO_RIGHTS },
      { tenant_id: HOSTILE, key_id: key.keyId, user_id: HOSTILE },
    ],
    [{ kind: "operator", token: 1, tenantId: null, rights: NO_RIGHTS }, { tenant_id: null }],
  ] as const)("of a caller, whatever it is called: %o", (principal, members) => {
    expect(logged({ procedure: "s/M", verdict: { ...UNCHECKED, principal } })).toEqual({
      ...COMMON,
      ...TIME,
      procedure: "s/M",
      caller: principal.kind,
      ...members,
    });
  });

  test("with the trace id of its request", () => {
    const traceId = "4bf92f3577b34da6a3ce929d0e0e4736";
    const line = lineOf({ procedure: "s/M" }, "/", `00-${traceId}-00f067aa0ba902b7-01`);
    expect(JSON.parse(line)).toEqual({ ...COMMON, ...TIME, procedure: "s/M", trace_id: traceId });
  });

  test("with the bytes of JSON.stringify, whatever characters an id has", () => {
    const unseen = fc.string({ unit: fc.constantFrom(..."a\u007f\u009b\u2028\u200e\u202e\u2069\u{1f600}") });
    const id = fc.oneof(
      fc.stringMatching(/^[\w.-]*$/),
      fc.string({ unit: "grapheme" }),
      fc.string({ unit: "binary" }),
      unseen,
    );
    fc.assert(
      fc.property(id, id, fc.option(id), (tenantId, keyId, onBehalfOf) => {
        const principal = {
          kind: "secret_key",
          key: { ...key, tenantId, keyId },
          tenantId,
          onBehalfOf,
          rights: NO_RIGHTS,
        } as const;
        const line = lineOf({ procedure: "s/M", verdict: { ...UNCHECKED, principal } });
        const { time, tenant_id, key_id, user_id } = JSON.parse(line);
        expect(JSON.stringify([tenant_id, key_id, user_id])).toBe(JSON.stringify([tenantId, keyId, onBehalfOf]));
        const members = {
          level: 30,
          time,
          request_id: "req_1",
          procedure: "s/M",
          status: 401,
          code: "unauthenticated",
          client_address: "2001:db8::1",
          caller: "secret_key",
          tenant_id: tenantId,
          key_id: keyId,
          user_id: onBehalfOf,
          duration_ms: 1.235,
          msg: "request",
        };
        const text = JSON.stringify(members).replaceAll(
          /[\u007f-\u009f\u2028\u2029\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g,
          (char) => `\\u${`000${char.charCodeAt(0).toString(16)}`.slice(-4)}`,
        );
        expect(line).toBe(`${text}\n`);
      }),
    );
  });
});
