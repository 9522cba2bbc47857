// promise: json.names, json.decimal-texts, json.twice, json.text, json.timestamps
import { describe, expect, test } from "vitest";
import { bodySender, bytes } from "../harness/body-sender.ts";
import { expectInvalid } from "../harness/error-answers.ts";
import type { Answer } from "../harness/http.ts";
import { dashboardOf, OIDC } from "../harness/key-management.ts";
import { sharedLatchkey } from "../harness/latchkey.ts";
import { USER_MESSAGE } from "../harness/rpcs.ts";

const CREATE = "/api/v1/api-keys/create";
const LIST = "/api/v1/api-keys/list";
const ROTATE = "/api/v1/api-keys/rotate";
const VALID = { name: "a key", permissions: ["conversations:read"] };

const latchkey = await sharedLatchkey();

const send = bodySender(() => latchkey);
const create = async (fields: object): Promise<Answer> => send(CREATE, JSON.stringify({ ...VALID, ...fields }));

// threat: B14
describe("a body that is not a JSON object", () => {
  test.each([
    ["an empty body", "", "empty"],
    ["spaces", " \r\n\t ", "empty"],
    ["null", "null", "object"],
    ["an array", "[]", "object"],
    ["an array of objects", "[{}]", "object"],
    ["a string", '"x"', "object"],
    ["a number", "1", "object"],
    ["a boolean", "true", "object"],
  ])("%s is 400", async (_what, body, says) => {
    expectInvalid(await send(LIST, body), "body", says);
    expectInvalid(await send("/api/v1/llm/gateway/list-threads", body), "body", says);
  });

  test.each([
    "{",
    "}",
    "{}}",
    "{} {}",
    "{}x",
    "{'page':1}",
    "{page:1}",
    '{"page":1,}',
    '{"page":01}',
    '{"page":+1}',
    '{"page":.5}',
    '{"page":0x10}',
    '{"page":NaN}',
    '{"page":Infinity}',
    '{"page":undefined}',
    '{"page":1}//',
    '{/**/"page":1}',
    '{"name":"\n"}',
    '{"name":"\\x41"}',
    "<xml/>",
    "page=1",
    "%7B%7D",
  ])("%j is 400 as no valid JSON", async (body) => {
    expectInvalid(await send(LIST, body), "body", "JSON");
  });

  test("the text of a broken body, which may hold a secret, is not repeated", async () => {
    const answer = await send(LIST, '{"name": hunter2-hunter2');
    expectInvalid(answer, "body");
    expect(answer.text).not.toContain("hunter2");
  });
});

describe("text", () => {
  // threat: B18
  test.each([
    ["a lone continuation byte", [0x80]],
    ["a truncated sequence", [0xe2, 0x82]],
    ["an overlong slash", [0xc0, 0xaf]],
    ["an overlong NUL", [0xc0, 0x80]],
    ["an encoded surrogate", [0xed, 0xa0, 0x80]],
    ["a code point above U+10FFFF", [0xf4, 0x90, 0x80, 0x80]],
    ["0xFF", [0xff]],
    ["Latin-1", [0x4d, 0xfc, 0x6c, 0x6c, 0x65, 0x72]],
  ])("%s in a string is 400, never replaced", async (_what, bad) => {
    const body = bytes('{"permissions":["plans:read"],"name":"a', bad, 'b"}');
    expectInvalid(await send(CREATE, body), "body", "UTF-8");
  });

  // threat: B18
  test("invalid UTF-8 is 400 even where unknown members are ignored", async () => {
    expectInvalid(await send("/api/v1/llm/gateway/list-threads", bytes('{"x":"', [0xff], '"}')), "body", "UTF-8");
  });

  test("UTF-16 and a byte order mark are 400", async () => {
    expectInvalid(await send(LIST, new Uint8Array(Buffer.from("{}", "utf16le"))), "body");
    expectInvalid(
      await send(LIST, bytes([0xff, 0xfe], new TextDecoder().decode(Buffer.from("{}", "utf16le")))),
      "body",
    );
    expectInvalid(await send(LIST, bytes([0xef, 0xbb, 0xbf], "{}")), "body");
  });

  const nul = "a\u0000b";
  const lone = "a\ud800b";
  // threat: B17
  test.each([
    ["NUL", nul, "NUL"],
    ["a lone high surrogate", lone, "surrogate"],
    ["a lone low surrogate", "\udc00", "surrogate"],
    ["swapped surrogates", "\ude00\ud83d", "surrogate"],
  ])("%s is 400 in every string, with the member's name", async (_what, text, says) => {
    const publishable = { keyType: "KEY_TYPE_PUBLISHABLE" };
    const oidc = (member: object) => ({ ...publishable, publishableConfig: { oidc: { ...OIDC, ...member } } });
    const at = "publishableConfig.oidc";
    expectInvalid(await create({ name: text }), "name", says);
    expectInvalid(await create({ description: text }), "description", says);
    expectInvalid(await create({ permissions: ["plans:read", text] }), "permissions[1]", says);
    expectInvalid(await create(oidc({ issuer: text })), `${at}.issuer`, says);
    expectInvalid(await create(oidc({ jwksUrl: text })), `${at}.jwksUrl`, says);
    expectInvalid(await create(oidc({ audience: text })), `${at}.audience`, says);
    expectInvalid(await create(oidc({ userIdClaim: text })), `${at}.userIdClaim`, says);
    expectInvalid(await create(oidc({ requiredClaims: { [text]: "x" } })), `${at}.requiredClaims`, says);
    expectInvalid(await create(oidc({ requiredClaims: { role: text } })), `${at}.requiredClaims["role"]`, says);
    const dashboard = dashboardOf(latchkey);
    for (const method of ["get", "update", "revoke", "disable", "enable", "usage", "rotate"] as const) {
      expectInvalid(await dashboard.call(method, JSON.stringify({ key_id: text })), "key_id", says);
    }
    const { key_id } = await dashboard.createKey();
    expectInvalid(await dashboard.call("update", JSON.stringify({ key_id, update_mask: text })), "update_mask", says);
  });

  // threat: B17
  test("NUL is 400 in the members of the other services, too", async () => {
    const gateway = "/api/v1/llm/gateway";
    const message = {
      ...USER_MESSAGE,
      content: [...USER_MESSAGE.content, { ...USER_MESSAGE.content[0], content: nul }],
    };
    const sendMessage = (body: object) => send(`${gateway}/send-message`, JSON.stringify(body));
    expectInvalid(await sendMessage({ conversation_key: nul, user_message: USER_MESSAGE }), "conversation_key");
    expectInvalid(
      await sendMessage({ conversation_key: "c", user_message: message }),
      "user_message.content[1].content",
    );
    const state = await send(`${gateway}/get-conversation-state`, JSON.stringify({ conversation_key: nul }));
    expectInvalid(state, "conversation_key");
    expectInvalid(await send("/api/v1/orgs/create", JSON.stringify({ name: nul })), "name");
  });

  test("a pair of surrogate escapes and a noncharacter are accepted", async () => {
    const dashboard = dashboardOf(latchkey);
    const body = '{"permissions":["plans:read"],"name":"\\ud83d\\ude00\\uffff\\u0001"}';
    const { key_id } = (await dashboard.call("create", body)).json.result;
    expect((await dashboard.result("get", { key_id })).name).toBe("😀\uffff\u0001");
  });
});

// threat: B13
describe("a duplicate member", () => {
  test.each([
    ['"name":"first","name":"last"', "name"],
    ['"name":"same","name":"same"', "name"],
    ['"name":"first","na\\u006de":"last"', "name"],
    ['"keyType":"KEY_TYPE_SECRET","key_type":"KEY_TYPE_PUBLISHABLE"', "key_type"],
    ['"rate_limit":{"burst_size":1,"burst_size":2}', "rate_limit.burst_size"],
    ['"expires_at":"2090-01-01T00:00:00Z","expires_at":null', "expires_at"],
    ['"publishable_config":{"oidc":{"issuer":"a","issuer":"b"}}', "publishable_config.oidc.issuer"],
    [
      '"publishableConfig":{"oidc":{"requiredClaims":{"a.b":"c","a.b":"d"}}}',
      'publishableConfig.oidc.requiredClaims["a.b"]',
    ],
    ['"x":[[],["a,b",{}],{"y":{},"z":1,"z":[]}],"w":1', "x[2].z"],
    ['"description":"{[:,","description":""', "description"],
  ])("%s is 400 with the member's name", async (members, member) => {
    const dashboard = dashboardOf(latchkey);
    const name = members.startsWith('"name"') ? "" : '"name":"a",';
    const answer = await dashboard.call("create", `{${name}"permissions":["plans:read"],${members}}`);
    expectInvalid(answer, member, "twice");
    expect((await dashboard.call("list", {})).json.pagination.total).toBe(0);
  });
});

test("a duplicate member in one of a message's parts is named with the part's index", async () => {
  const part = '{"type":"CONTENT_PART_TYPE_TEXT","content":"a"}';
  const twice = '{"type":"CONTENT_PART_TYPE_TEXT","content":"a","content":"b"}';
  const body = `{"conversation_key":"c","user_message":{"role":"ROLE_USER","content":[${part},${twice}]}}`;
  const answer = await send("/api/v1/llm/gateway/send-message", body);
  expectInvalid(answer, "user_message.content[1].content", "twice");
});

describe("types", () => {
  // threat: B12
  test.each([
    [{ name: 5 }, "name"],
    [{ name: true }, "name"],
    [{ name: ["a"] }, "name"],
    [{ name: {} }, "name"],
    [{ description: 5 }, "description"],
    [{ permissions: "plans:read" }, "permissions"],
    [{ permissions: { 0: "plans:read" } }, "permissions"],
    [{ permissions: ["plans:read", 5] }, "permissions[1]"],
    [{ permissions: [null] }, "permissions[0]"],
    [{ permissions: [["plans:read"]] }, "permissions[0]"],
    [{ rate_limit: 5 }, "rate_limit"],
    [{ rate_limit: [] }, "rate_limit"],
    [{ rate_limit: "60" }, "rate_limit"],
    [{ keyType: 1.5 }, "keyType"],
    [{ keyType: {} }, "keyType"],
    [{ expires_at: 1_900_000_000 }, "expires_at"],
    [{ expires_at: {} }, "expires_at"],
    [{ publishableConfig: "x" }, "publishableConfig"],
    [{ publishableConfig: { oidc: [] } }, "publishableConfig.oidc"],
    [{ publishableConfig: { oidc: { issuer: 5 } } }, "publishableConfig.oidc.issuer"],
    [{ publishableConfig: { oidc: { requiredClaims: [] } } }, "publishableConfig.oidc.requiredClaims"],
    [{ publishableConfig: { oidc: { requiredClaims: { a: 1 } } } }, 'publishableConfig.oidc.requiredClaims["a"]'],
    [{ publishableConfig: { oidc: { requiredClaims: { a: null } } } }, 'publishableConfig.oidc.requiredClaims["a"]'],
  ])("%j is 400 and named by its JSON path", async (fields, path) => {
    expectInvalid(await create(fields), path);
  });

  // threat: B12
  test("null is the same as absent for every optional member", async () => {
    const nothing = { description: null, keyType: null, rate_limit: null, expires_at: null, publishableConfig: null };
    expect((await create(nothing)).status).toBe(200);
    expect((await create({ rate_limit: { requests_per_minute: null, burst_size: null } })).status).toBe(200);
    expect((await send(LIST, '{"page":null,"per_page":null}')).status).toBe(200);
  });
});

describe("integers", () => {
  const limited = (text: string): Promise<Answer> =>
    send(CREATE, `{"name":"a","permissions":["plans:read"],"rate_limit":{"requests_per_minute":${text}}}`);

  test.each(
    [
      ['"0x10"', '"0b1"', '"0o7"', '"1e2"', '"1_000"', '"+1"', '"01"', '" 1"', '"1 "', '"1.0"', '""', '"NaN"'],
      ['"Infinity"', '"ten"', '"\u0661"', "1.5", "-1", "1e-1", "2147483648", "1e10", "1e400", "-1e400"],
      ["9007199254740993", "123456789012345678901234567890", "true", "[1]", "{}"],
    ].flat(),
  )("%s is 400", async (text) => {
    expectInvalid(await limited(text), "rate_limit.requests_per_minute");
  });

  // threat: L10
  test.each([
    [CREATE, '{"rate_limit":{"burst_size":-3000000000}}', "rate_limit.burst_size", "0 to 2147483647, not -3000000000"],
    [CREATE, '{"rate_limit":{"burst_size":2147483648}}', "rate_limit.burst_size", "0 to 2147483647, not 2147483648"],
    [ROTATE, '{"grace_period_hours":-3000000000}', "grace_period_hours", "0 to 720, not -3000000000"],
    [ROTATE, '{"grace_period_hours":1.5}', "grace_period_hours", "0 to 720, not 1.5"],
  ])("%s of %s is 400 with both limits", async (path, body, field, says) => {
    expectInvalid(await send(path, body), field, `must be an integer from ${says}`);
  });

  test.each([
    ["1e400", "1e400"],
    ["-1e400", "-1e400"],
    ["a million digits", "9".repeat(1_000_000)],
  ])("the message about %s does not mention infinity", async (_what, text) => {
    const answer = await limited(text);
    expectInvalid(answer, "rate_limit.requests_per_minute", "2147483647");
    expect(answer.json.message).not.toContain("Infinity");
  });

  test.each([
    ["100", 100],
    ["1e2", 100],
    ["100.0", 100],
    ['"100"', 100],
    ["2147483647", 2_147_483_647],
    ["-0", 0],
  ])("%s is %d", async (text, value) => {
    const dashboard = dashboardOf(latchkey);
    const body = `{"name":"a","permissions":["plans:read"],"rate_limit":{"requests_per_minute":${text}}}`;
    const { key_id } = (await dashboard.call("create", body)).json.result;
    const answer = await dashboard.call("get", { key_id });
    expect(answer.json.result.rate_limit.requests_per_minute).toBe(value);
    expect(answer.text).toContain(`"requests_per_minute":${value}`);
  });
});

describe("timestamps", () => {
  // threat: R14
  test.each([
    "2026-02-30T00:00:00Z",
    "2031-02-29T00:00:00Z",
    "2100-02-29T00:00:00Z",
    "2031-04-31T00:00:00Z",
    "2031-13-01T00:00:00Z",
    "2031-00-10T00:00:00Z",
    "2031-01-00T00:00:00Z",
    "2031-01-32T00:00:00Z",
    "2031-01-01T24:00:00Z",
    "2031-01-01T23:60:00Z",
    "2031-01-01T23:59:60Z",
    "2031-01-01T00:00:00+24:00",
    "2031-01-01T00:00:00+01:60",
    "0000-01-01T00:00:00Z",
    "0000-12-31T23:59:59-12:00",
    "0001-01-01T00:00:00+01:00",
    "9999-01-01T00:00:00Z",
    "9999-12-31T23:59:59.999999999Z",
    "9998-12-31T23:59:59-01:00",
    "10000-01-01T00:00:00Z",
    "+002031-01-01T00:00:00Z",
    "-0001-01-01T00:00:00Z",
    "2031-01-01",
    "2031-01-01T00:00Z",
    "2031-01-01T00:00:00",
    "2031-01-01 00:00:00Z",
    "2031-01-01T00:00:00.Z",
    "2031-01-01T00:00:00,5Z",
    "2031-01-01T00:00:00.1234567890Z",
    "2031-01-01T00:00:00+0500",
    "2031-01-01T00:00:00 Z",
    " 2031-01-01T00:00:00Z",
    "2031-01-01T00:00:00Z\n",
    "2031-W01-1T00:00:00Z",
    "Wed, 01 Jan 2031 00:00:00 GMT",
    "tomorrow",
    "infinity",
    "1924992000",
    "",
  ])("%j is 400, in create and in update", async (expires_at) => {
    expectInvalid(await create({ expires_at }), "expires_at");
    const dashboard = dashboardOf(latchkey);
    const { key_id } = await dashboard.createKey();
    const before = await dashboard.result("get", { key_id });
    expectInvalid(await dashboard.call("update", { key_id, expires_at, update_mask: "expires_at" }), "expires_at");
    expect(await dashboard.result("get", { key_id })).toEqual(before);
  });

  // threat: R14
  test.each([
    "2096-02-29T00:00:00Z",
    "2090-01-01T00:00:00+05:00",
    "2090-01-01T00:00:00-23:59",
    "2090-01-01T23:59:59.9Z",
    "2090-01-01T00:00:00.123456789Z",
    "9998-12-31T23:59:59Z",
    "9998-12-31T23:59:59.999Z",
    "9999-01-01T00:30:00+01:00",
  ])("%j is accepted, and the list still works", async (expires_at) => {
    const dashboard = dashboardOf(latchkey);
    const { key_id } = await dashboard.createKey({ expires_at });
    const shown = Date.parse((await dashboard.result("get", { key_id })).expires_at);
    expect(Math.abs(shown - Date.parse(expires_at))).toBeLessThanOrEqual(1);
    expect((await dashboard.call("list", {})).json.keys[0].key_id).toBe(key_id);
  });

  test.each([
    ["9998-12-31T23:59:59.999999999Z", "9998-12-31T23:59:59.999Z"],
    ["2090-12-31T23:59:59.9995Z", "2090-12-31T23:59:59.999Z"],
    ["2090-12-31T23:59:59.000999999Z", "2090-12-31T23:59:59Z"],
  ])("%j is cut to the millisecond, never rounded up", async (expires_at, shown) => {
    const dashboard = dashboardOf(latchkey);
    const { key_id } = await dashboard.createKey({ expires_at });
    expect((await dashboard.result("get", { key_id })).expires_at).toBe(shown);
    expect((await dashboard.call("list", {})).json.keys[0].expires_at).toBe(shown);
  });
});
