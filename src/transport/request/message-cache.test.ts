import { create } from "@bufbuild/protobuf";
import { describe, expect, test } from "vitest";
import { VerifyRequestSchema } from "../../../gen/latchkey/v1/auth_service_pb.ts";
import { cacheMessages } from "./message-cache.ts";

const BODY = Buffer.from(`{"scope":"threads:read"}`);

function reader() {
  const asked: string[] = [];
  const read = cacheMessages((body) => {
    const text = Buffer.from(body).toString("latin1");
    asked.push(text);
    if (text === "bad") throw new Error("no message");
    return create(VerifyRequestSchema, { scopes: [text] });
  });
  return { asked, read };
}

describe("a short body", () => {
  test("is read once, whatever buffer it comes in", () => {
    const { asked, read } = reader();
    const first = read(BODY);
    expect(read(Buffer.from(BODY))).toBe(first);
    expect(read(new Uint8Array([0, ...BODY]).subarray(1))).toBe(first);
    expect(asked).toHaveLength(1);
  });

  test("is distinguished from every other, also by bytes that are not UTF-8", () => {
    const { read } = reader();
    const bodies = [[], [0x7b], [0x7b, 0], [0xff], [0xfe], [0xc3, 0xbf], [0xef, 0xbf, 0xbd]];
    const messages = bodies.map((bytes) => read(new Uint8Array(bytes)));
    expect(new Set(messages).size).toBe(bodies.length);
    for (const [n, bytes] of bodies.entries()) expect(read(new Uint8Array(bytes))).toBe(messages[n]);
  });

  test("that is invalid is rejected each time", () => {
    const { asked, read } = reader();
    for (const _ of "ab") expect(() => read(Buffer.from("bad"))).toThrow("no message");
    expect(asked).toEqual(["bad", "bad"]);
  });

  test("becomes a message that no request can change for the others", () => {
    const { read } = reader();
    const message = read(BODY) as unknown as { scope: string; scopes: string[] };
    expect(() => {
      message.scope = "other:read";
    }).toThrow(TypeError);
    expect(() => message.scopes.push("other:read")).toThrow(TypeError);
  });
});

test("a body of more than 64 bytes, which may hold a user's text, is not cached", () => {
  const { asked, read } = reader();
  for (const length of [64, 64, 65, 65]) read(Buffer.alloc(length, "x"));
  expect(asked.map((text) => text.length)).toEqual([64, 65, 65]);
});

test("only the bodies used last stay in the cache", () => {
  const { asked, read } = reader();
  for (let n = 0; n < 2_000; n++) read(Buffer.from(String(n)));
  read(Buffer.from("1999"));
  read(Buffer.from("0"));
  expect(asked).toHaveLength(2_001);
  expect(asked.at(-1)).toBe("0");
});
