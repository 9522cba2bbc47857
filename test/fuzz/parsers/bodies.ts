import { type DescMessage, fromBinary, fromJson, toBinary } from "@bufbuild/protobuf";
import { CreateApiKeyRequestSchema } from "../../../gen/latchkey/v1/api_key_service_pb.ts";
import { SendMessageRequestSchema } from "../../../gen/latchkey/v1/gateway_service_pb.ts";
import { listEvents } from "../../../src/domain/audit/list.ts";
import { originProblem } from "../../../src/domain/credentials/web-origin.ts";
import { parseUpdateMask } from "../../../src/domain/keys/update.ts";
import { leakUrlProblem } from "../../../src/domain/leaks/leak-url.ts";
import { scannerMatches } from "../../../src/domain/leaks/scanner-report.ts";
import { checkedEmail } from "../../../src/domain/orgs/email.ts";
import { HOOK_DIALECTS, type HookDialect, hookUser, OWN_DIALECT } from "../../../src/domain/orgs/hook-dialects.ts";
import { isSigned } from "../../../src/domain/signatures/webhook-signature.ts";
import { checkIssuer, checkJwksUrl } from "../../../src/domain/tokens/oidc-urls.ts";
import { duplicateMember } from "../../../src/domain/vocabulary/duplicate-member.ts";
import { checkedEvents, checkedUrl } from "../../../src/domain/webhooks/rules.ts";
import { checkMessage } from "../../../src/interceptors/message-checks.ts";
import { LENIENT, parseBinary } from "../../../src/transport/request/body.ts";
import { messageIn } from "../../../src/transport/request/grpc-message.ts";
import { checkJson } from "../../../src/transport/request/json/strict-json.ts";
import { syntaxFaultAt } from "../../../src/transport/request/json/syntax-fault.ts";
import { HOOK_PAYLOADS } from "../../harness/login-hook.ts";
import { holds, type Parser } from "./parser.ts";

/** The request with the most kinds of members, and one with a list of messages. */
const KEY = {
  ...{ name: "a", description: "", keyType: "KEY_TYPE_PUBLISHABLE", permissions: ["conversations:*"] },
  ...{
    expires_at: "2030-01-31T12:00:00.5+01:00",
    rate_limit: { requests_per_minute: 60, per_user: { burst_size: 1 } },
  },
  ...{ metadata: { a: [1, null, { b: "c" }] }, allowed_ips: ["203.0.113.0/24"], allow_browser: true },
  publishableConfig: {
    oidc: { issuer: "https://a.example", jwksUrl: "https://a.example/k", audience: "b", requiredClaims: { c: "d" } },
  },
};
const MESSAGE = {
  conversation_key: "a",
  user_message: { role: "ROLE_USER", content: [{ type: "CONTENT_PART_TYPE_TEXT", content: "Hello" }] },
};
const SCHEMAS: readonly DescMessage[] = [CreateApiKeyRequestSchema, SendMessageRequestSchema];

/** JSON of RPCs. The first byte chooses the message. */
const json: Parser = {
  seeds: [
    `0${JSON.stringify(KEY)}`,
    `1${JSON.stringify(MESSAGE)}`,
    "0{}",
    '0 {"a":1,"a":{"a":[{"b":""}]}} ',
    "0[1e5,true]",
  ],
  words: [
    '"name":',
    '"expires_at":"',
    "2030-02-30T25:00:00",
    '"metadata":{',
    '"\\u',
    "KEY_TYPE_SECRET",
    "[object ",
    "None",
  ],
  parse(bytes) {
    const schema = schemaOf(bytes);
    const body = bytes.subarray(1);
    const text = body.toString();
    holds(
      (syntaxFaultAt(text) === undefined) === isJson(text),
      "a fault of the syntax is found where JSON.parse finds one",
    );
    const value = checkJson(schema, body, (bytes[0] ?? 0) > 127);
    const message = fromJson(schema, value, LENIENT);
    holds(duplicateMember(text) === undefined, "no member of a body is there twice");
    checkMessage(schema, message);
    fromBinary(schema, toBinary(schema, message));
  },
};

/** Binary messages. The first byte chooses the message. */
const binary: Parser = {
  seeds: [
    `0${latin1(toBinary(CreateApiKeyRequestSchema, fromJson(CreateApiKeyRequestSchema, KEY)))}`,
    `1${latin1(toBinary(SendMessageRequestSchema, fromJson(SendMessageRequestSchema, MESSAGE)))}`,
    ...["0", "0\x0b\x0c", `0${"\x0a\x01a".repeat(2_000)}`],
  ],
  words: [
    "\x0a\x01a",
    "\x1b",
    "\x1c",
    "\xff\xff\xff\xff\x0f",
    "\x80\x80\x80\x80\x80\x80\x80\x80\x80\x01",
    "\xed\xa0\x80",
  ],
  parse(bytes) {
    const schema = schemaOf(bytes);
    const message = parseBinary(schema, bytes.subarray(1));
    checkMessage(schema, message);
    toBinary(schema, message);
  },
};

/** Envelopes of gRPC. The first byte says whether it is gRPC-Web. */
const grpc: Parser = {
  seeds: ["0\0\0\0\0\x02ab", "1\0\0\0\0\x00\x80\0\0\0\x01a", "1\x01\0\0\0\0", "0\0\0\0\0\0\0\0\0\0\0"],
  words: ["\0\0\0\0\0", "\x80\0\0\0\0", "\x80\xff\xff\xff\xff"],
  parse: (bytes) => messageIn(bytes.subarray(1), bytes[0] === 0x31),
};

/** Update masks. */
const mask: Parser = {
  seeds: [
    "name",
    "name, rate_limit",
    "rateLimit.perUser.burstSize",
    "status",
    "nmae,",
    "permissions;name",
    "oidc.issuer",
  ],
  words: ["name", "rate_limit", ".per_user", "rateLimit", "publishable_config", ",", " "],
  parse: (bytes) => parseUpdateMask(bytes.toString()),
};

/** Page tokens of the audit trail. */
const cursor: Parser = {
  seeds: [
    Buffer.from("1767225600000.1").toString("base64url"),
    "",
    "AAAA",
    Buffer.from("9.99999999999999999").toString("base64url"),
  ],
  words: ["MTc2", "Mw", "LjE", "="],
  async parse(bytes) {
    const audit = {
      async listEvents(
        _tenant: unknown,
        _filter: unknown,
        { after }: { readonly after?: { atMs: number; seq: number } | undefined },
      ) {
        holds(after === undefined || !Number.isNaN(new Date(after.atMs).getTime()), "a cursor's instant is one");
        holds(after === undefined || Number.isSafeInteger(after.seq), "a cursor's number is exact");
        return { events: [], next: after };
      },
    };
    const ctx = { audit: audit as never, refusals: { settled: async () => {} } };
    const pageToken = bytes.toString("latin1");
    const first = await listEvents(ctx, null, { from: null, to: null } as never, { pageToken, perPage: 1 });
    const page = { pageToken: first.nextPageToken, perPage: 1 };
    const second = await listEvents(ctx, null, { from: null, to: null } as never, page);
    holds(first.nextPageToken === second.nextPageToken, "a token of ours leads to itself");
  },
};

const OWN_NAME = "own";

/** Login hooks: the dialect, a line break, the payload. */
const loginHook: Parser = {
  seeds: [
    `${OWN_NAME}\n{"sub":"a","issuer":""}`,
    ...Object.entries(HOOK_PAYLOADS).map(([name, payload]) => `${name}\n${JSON.stringify(payload("a"))}`),
  ],
  words: ['"sub":', '"user_id":', "null", "[]", '"claims":', '"__proto__":', '"data":', "okta\n", "hydra\n"],
  parse(bytes) {
    const [name = "", ...rest] = bytes.toString().split("\n");
    const request = parsed(rest.join("\n"));
    const dialect = Object.entries<HookDialect>(HOOK_DIALECTS).find(([each]) => each === name)?.[1];
    const { userId } = hookUser(dialect ?? OWN_DIALECT, request);
    holds(userId.length > 0 && userId.length <= 256, "a user's id is 1 to 256 characters");
    // `hookUser` has refused what is no object.
    JSON.stringify(dialect?.answer(request as Record<string, unknown>, { tenant_id: "t", roles: ["viewer"] }) ?? {});
  },
};

const SECRETS = ["secret-of-the-login-hook-0123456789abcdef", "v1,whsec_c2VjcmV0LW9mLXRoZS13ZWJob29rcy0wMTIzNDU2Nzg5"];
const NOW = new Date("2026-01-01T00:00:00Z");

/** Signatures of webhooks, a header on each of five lines, and reports of GitHub in the rest. */
const webhook: Parser = {
  seeds: [
    "msg_1\n1767225600\nv1,AAAA v1,BBBB\n\n\n{}",
    "\n\n\nt=1767225600,v1=00ff\n\n[]",
    '\n\n\n\n\n[{"token":"a","type":"b","url":"https://a.example/","source":""}]',
  ],
  words: ["1767225600", "v1,", "v1=", "t=", "==", '"token":', '"url":"'],
  parse(bytes) {
    const [id, time, signature, zitadel, , ...body] = bytes.toString("latin1").split("\n");
    const headers = {
      "webhook-id": id,
      "webhook-timestamp": time,
      "webhook-signature": signature,
      "zitadel-signature": zitadel,
    };
    holds(
      !isSigned(SECRETS, headers, Buffer.from(body.join("\n"), "latin1"), NOW),
      "what is not signed is not taken as signed",
    );
    scannerMatches(parsed(body.join("\n")));
  },
};

/** Texts of members that have a form of their own. */
const members: Parser = {
  seeds: [
    "jo@example.com",
    "https://app.example.com",
    "capacitor://localhost",
    "https://a.example/.well-known/jwks.json",
    "https://[::1]:8/a?b",
    ...["0https://hooks.example.com/a?b", "0http://a.example", "0https://a:b@c.example/#", "1* api_key.created", "1a"],
  ],
  words: ["https://", "@", "localhost", "127.0.0.1", "0x7f.1", "[::ffff:a00:1]", "\\", "#", "%2e", ".", "xn--"],
  parse(bytes) {
    const text = bytes.toString();
    const problems = [originProblem(text), leakUrlProblem(text), checkIssuer(text), checkJwksUrl(text, [])];
    for (const problem of problems) holds(problem === undefined || problem !== "", "a problem has a text");
    // The first byte chooses, since each of them throws.
    if (bytes[0] === 0x30) holds(checkedUrl(text.slice(1), []).startsWith("https://"), "webhooks are sent over https");
    if (bytes[0] === 0x31) holds(checkedEvents(text.slice(1).split(" ")).length > 0, "a webhook has events");
    checkedEmail(text);
  },
};

function schemaOf(bytes: Buffer): DescMessage {
  return SCHEMAS[(bytes[0] ?? 0) % SCHEMAS.length] ?? CreateApiKeyRequestSchema;
}

function latin1(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString("latin1");
}

function isJson(text: string): boolean {
  return parsed(text) !== undefined;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

export const BODIES = { json, binary, grpc, mask, cursor, "login-hook": loginHook, webhook, members };
