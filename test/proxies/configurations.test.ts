import { readFile } from "node:fs/promises";
import { describe, expect, test } from "vitest";
import { parseDocument } from "yaml";
import { SPOOFED } from "./spoofed.ts";

/** What Latchkey's check answers. */
const ANSWERED = ["Caller", "Tenant-Id", "Key-Id", "User-Id", "Permissions"].map((name) => `X-Auth-${name}`);
/** What the service may read of a client. */
const HARMLESS = ["Content-Type", "X-Request-Id", "X-Forwarded-For", "X-Oauth-Id", "X-Authors"];
const CREDENTIALS = ["x-api-key", "authorization", "x-on-behalf-of"];

// These proxies are not among Debian's packages: what their examples say is compared with what they have to say.
async function read(example: string) {
  return parseDocument(await readFile(new URL(`../../examples/${example}`, import.meta.url), "utf8"));
}

describe("the example for Envoy", async () => {
  const envoy = await read("envoy/envoy.yaml");
  const manager = ["static_resources", "listeners", 0, "filter_chains", 0, "filters", 0, "typed_config"];
  const filter = (at: number, ...path: (string | number)[]) => envoy.getIn([...manager, "http_filters", at, ...path]);

  test("removes every X-Auth-* of a client before it calls Latchkey, and nothing else", () => {
    expect([0, 1, 2].map((at) => filter(at, "name"))).toEqual([
      "envoy.filters.http.header_mutation",
      "envoy.filters.http.ext_authz",
      "envoy.filters.http.router",
    ]);
    const mutations = ["typed_config", "mutations", "request_mutations"];
    const regex = filter(0, ...mutations, 0, "remove_on_match", "key_matcher", "safe_regex", "regex");
    // It compares whole names, in lower case.
    const removed = SPOOFED.concat(HARMLESS).filter((name) => new RegExp(`^(?:${regex})$`).test(name.toLowerCase()));
    expect(removed).toEqual(SPOOFED);
  });

  test("passes on Latchkey's answers, admits no request without an answer, and keeps credentials from the service", () => {
    const upstream = ["typed_config", "http_service", "authorization_response", "allowed_upstream_headers", "patterns"];
    const prefix = String(filter(1, ...upstream, 0, "prefix"));
    expect(ANSWERED.filter((name) => !name.toLowerCase().startsWith(prefix))).toEqual([]);
    expect(filter(1, "typed_config", "failure_mode_allow")).toBe(false);
    const removed = [...manager, "route_config", "virtual_hosts", 0, "request_headers_to_remove"];
    expect(CREDENTIALS.map((_name, at) => envoy.getIn([...removed, at]))).toEqual(CREDENTIALS);
  });
});

describe("the example for Traefik", async () => {
  const traefik = (await read("traefik/dynamic.yml")).toJS();
  const { routers, middlewares } = traefik.http;

  test.each(["plans-read", "plans-write"])(
    "removes every X-Auth-* of a client of %s, and nothing else, hands on what Latchkey answers, and no credentials",
    (router) => {
      const [check, credentials] = routers[router].middlewares;
      const [, regex = ""] = /^\(\?i\)(.*)$/.exec(middlewares[check].forwardAuth.authResponseHeadersRegex) ?? [];
      const pattern = new RegExp(regex, "i");
      // What matches is removed from the request, and then taken from Latchkey's answer.
      expect(SPOOFED.concat(ANSWERED, HARMLESS).filter((name) => pattern.test(name))).toEqual(SPOOFED.concat(ANSWERED));
      const removed = Object.entries(middlewares[credentials].headers.customRequestHeaders);
      expect(removed.map(([name, value]) => [name.toLowerCase(), value])).toEqual(
        CREDENTIALS.map((name) => [name, ""]),
      );
    },
  );
});
