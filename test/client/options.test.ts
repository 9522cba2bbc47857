// promise: clients.http
import { describe, expect, test } from "vitest";
import { createLatchkeyClient } from "../../clients/typescript/src/index.ts";
import { createGuard } from "../../clients/typescript/src/server/index.ts";

const BASE_URL = "https://api.example.com";

const makers: [
  what: string,
  make: (options: { baseUrl: string; insecureHttp?: boolean; timeoutMs?: number }) => unknown,
][] = [
  ["a client", (options) => createLatchkeyClient({ apiKey: "sk_x", ...options })],
  ["a guard", createGuard],
];

test.each<[object, string]>([
  [{ onBehalfof: "anna" }, 'onBehalfof: is unknown; did you mean "onBehalfOf"?'],
  [{ timeout: 5 }, 'timeout: is unknown; did you mean "timeoutMs"?'],
  [{ retry: { attempts: 1 } }, 'retry.attempts: is unknown; did you mean "attemptsMax"?'],
  [{ retry: 1 }, "retry must be an object, not 1"],
])("a client cannot be created with an unknown option: %j", (options, message) => {
  const made = () => createLatchkeyClient({ baseUrl: BASE_URL, apiKey: "sk_x", ...options });
  expect(made).toThrow(new TypeError(message));
});

test("a guard cannot be created with an unknown option", () => {
  const options = { baseUrl: BASE_URL, onerror: () => {} };
  expect(() => createGuard(options)).toThrow(new TypeError('onerror: is unknown; did you mean "onError"?'));
  expect(() => createGuard({ baseUrl: BASE_URL, onError: undefined })).not.toThrow();
});

test.each([" pk_x\n", "pk_x"])("a client cannot be created with only a publishable key: %j", (apiKey) => {
  const made = () => createLatchkeyClient({ baseUrl: BASE_URL, apiKey });
  expect(made).toThrow(TypeError);
  expect(made).toThrow(/^a publishable key \(pk_\.\.\.\) needs its user's token .* getUserToken/);
  expect(() => createLatchkeyClient({ baseUrl: BASE_URL, apiKey, getUserToken: () => "t" })).not.toThrow();
});

describe.each(makers)("%s", (what, make) => {
  test.each(["", " ", "127.0.0.1:8080", "localhost:8080", "/api", "ftp://api.example.com", "https://", undefined])(
    "is not made with a baseUrl that no call can be made to: %j",
    (baseUrl) => {
      // What plain JavaScript may give.
      const make1 = () => make({ baseUrl: baseUrl as string });
      expect(make1).toThrow(TypeError);
      expect(make1).toThrow(/^baseUrl must be .*https:\/\/api\.example\.com/);
    },
  );

  test("cannot be created with a password in its baseUrl, which the message does not repeat", () => {
    const made = () => make({ baseUrl: "https://user:hunter2@api.example.com" });
    expect(made).toThrow(/^baseUrl must be without user name, password/);
    expect(made).not.toThrow("hunter2");
  });

  test.each(["/api/v1", "/api/v1/"])("cannot be created with the API's path in its baseUrl: %s", (path) => {
    expect(() => make({ baseUrl: BASE_URL + path })).toThrow(/^baseUrl must be without \/api\/v1, such as /);
    expect(() => make({ baseUrl: `${BASE_URL}/latchkey/` })).not.toThrow();
  });

  test.each([
    "http://api.example.com",
    "http://latchkey:8080",
    "http://127.0.0.1.example.com",
    "http://localhost.",
    "http://0",
  ])("sends credentials in the clear to another machine only where that is asked for: %j", (baseUrl) => {
    const made = () => make({ baseUrl });
    expect(made).toThrow(TypeError);
    expect(made).toThrow(/^baseUrl must begin with https:\/\/, since .* in the clear; .* insecureHttp: true$/);
    expect(() => make({ baseUrl, insecureHttp: false })).toThrow(TypeError);
    expect(() => make({ baseUrl, insecureHttp: true })).not.toThrow();
    expect(() => make({ baseUrl, insecureHttp: "yes" as unknown as boolean })).toThrow(/^insecureHttp must be/);
  });

  test.each(["http://localhost:1", "http://127.0.0.1:8080/", "http://127.9.9.9", "http://[::1]:1", "HTTP://LOCALHOST"])(
    "reaches this machine without https: %j",
    (baseUrl) => {
      expect(() => make({ baseUrl })).not.toThrow();
    },
  );

  test.each([-1, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 31, 1e12, "1000"])(
    "is not made with a timeoutMs that a timer would take for another: %j",
    (timeoutMs) => {
      const made = () => make({ baseUrl: BASE_URL, timeoutMs: timeoutMs as number });
      expect(made).toThrow(TypeError);
      expect(made).toThrow(/^timeoutMs must be a number of milliseconds from [01] to 2147483647$/);
    },
  );

  test("accepts the longest time, and 0 where it has a meaning", () => {
    expect(() => make({ baseUrl: BASE_URL, timeoutMs: 2 ** 31 - 1 })).not.toThrow();
    const timeless = () => make({ baseUrl: BASE_URL, timeoutMs: 0 });
    if (what === "a client") expect(timeless).not.toThrow();
    else expect(timeless).toThrow(TypeError);
  });
});
