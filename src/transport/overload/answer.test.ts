// promise: overload.refused
import type { IncomingHttpHeaders } from "node:http";
import { Code } from "@connectrpc/connect";
import { endStreamFlag, endStreamFromJson } from "@connectrpc/connect/protocol-connect";
import { findTrailerError } from "@connectrpc/connect/protocol-grpc";
import { trailerFlag, trailerParse } from "@connectrpc/connect/protocol-grpc-web";
import { expect, test } from "vitest";
import { ErrorInfoSchema, ErrorReason } from "../../../gen/latchkey/v1/error_reason_pb.ts";
import { overloadAnswer } from "./answer.ts";

const refuse = (type: string, random = 0.5) => overloadAnswer({ rawHeaders: ["Content-Type", type] }, () => random);

function headersOf({ headers }: ReturnType<typeof refuse>): IncomingHttpHeaders {
  if (headers instanceof Headers) return Object.fromEntries(headers);
  const { list } = headers;
  return Object.fromEntries(list.flatMap((name, n) => (n % 2 === 0 ? [[name, list[n + 1]]] : [])));
}

/** The flags of an envelope, and its content. */
function envelopeIn(body: Uint8Array | string): [flags: number | undefined, content: Uint8Array] {
  const bytes = Buffer.from(body);
  expect(bytes.readUInt32BE(1)).toBe(bytes.length - 5);
  return [bytes[0], bytes.subarray(5)];
}

test.each(["application/json", "application/proto", "application/json; charset=utf-8", "text/plain", ""])(
  "a call of the type %j gets a status",
  (type) => {
    const answer = refuse(type);
    expect(answer).toMatchObject({ status: 503, code: "unavailable" });
    expect(JSON.parse(String(answer.body))).toMatchObject({ code: "unavailable", reason: "overloaded" });
    expect(headersOf(answer)).toMatchObject({ "content-type": "application/json", "retry-after": "2" });
  },
);

test.each(["application/grpc", "application/grpc+proto", "application/GRPC+JSON ; a=b"])(
  "a call of the type %s gets trailers only",
  (type) => {
    const answer = refuse(type);
    expect(answer).toMatchObject({ status: 200, code: "unavailable", body: new Uint8Array() });
    expect(headersOf(answer)["content-type"]).toMatch(/^application\/grpc(\+|$)/i);
    const trailers = "trailers" in answer && answer.trailers ? answer.trailers : new Headers();
    expect(trailers.get("grpc-retry-pushback-ms")).toBe("2000");
    const err = findTrailerError(trailers);
    expect(err?.code).toBe(Code.Unavailable);
    expect(err?.findDetails(ErrorInfoSchema)).toMatchObject([{ reason: ErrorReason.OVERLOADED }]);
  },
);

test("a call over gRPC-Web gets its trailers in the body", () => {
  const answer = refuse("application/grpc-web+proto");
  expect(answer).toMatchObject({ status: 200, code: "unavailable", trailers: undefined });
  const [flags, content] = envelopeIn(answer.body);
  expect(flags).toBe(trailerFlag);
  const trailers = trailerParse(content);
  expect(trailers.get("grpc-retry-pushback-ms")).toBe("2000");
  expect(findTrailerError(trailers)?.code).toBe(Code.Unavailable);
});

test("a stream in Connect's protocol gets its end", () => {
  const answer = refuse("application/connect+json");
  expect(answer).toMatchObject({ status: 200, code: "unavailable", trailers: undefined });
  const [flags, content] = envelopeIn(answer.body);
  expect(flags).toBe(endStreamFlag);
  const { error, metadata } = endStreamFromJson(content);
  expect([error?.code, metadata.get("retry-after")]).toEqual([Code.Unavailable, "2"]);
});

test("clients come back after 1 to 3 s, by lot", () => {
  const drawn = [0, 0.24, 0.25, 0.74, 0.75, 0.999].map((random) => headersOf(refuse("", random))["retry-after"]);
  expect(drawn).toEqual(["1", "1", "2", "2", "3", "3"]);
});
