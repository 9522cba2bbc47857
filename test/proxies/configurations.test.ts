import { readFile } from "node:fs/promises";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import { SPOOFED } from "./spoofed.ts";

/** What Latchkey's check answers. */
const ANSWERED = ["Caller", "Tenant-Id", "Key-Id", "User-Id", "Permissions"].map((name) => `X-Auth-${name}`);
/** What the service may read of a client. */
const HARMLESS = ["Content-Type", "X-Request-Id", "X-Forwarded-For", "X-Oauth-Id", "X-Authors"];
// biome-ignore lint/suspicious/noExplicitAny: the assertions are the check
type Settings = Record<string, any>;
const CREDENTIALS = ["x-api-key", "authorization", "x-on-behalf-of"];

// `npm run test:peers` runs these examples. Here what they say is compared with what they have to say.
async function read(example: string) {
  return parse(await readFile(new URL(`../../examples/${example}`, import.meta.url), "utf8"));
}

describe.each(["envoy/envoy.yaml", "envoy/envoy-grpc.yaml"])("the example %s", async (example) => {
  const { static_resources } = await read(example);
  const manager = static_resources.listeners[0].filter_chains[0].filters[0].typed_config;
  const [mutation, check, router] = manager.http_filters;
  const [host] = manager.route_config.virtual_hosts;

  test("removes every X-Auth-* of a client before it calls Latchkey, and nothing else that a service reads", () => {
    expect([mutation.name, check.name, router.name]).toEqual([
      "envoy.filters.http.header_mutation",
      "envoy.filters.http.ext_authz",
      "envoy.filters.http.router",
    ]);
    const [pattern, forwarded, ...others] = mutation.typed_config.mutations.request_mutations;
    const { regex } = pattern.remove_on_match.key_matcher.safe_regex;
    // It compares whole names, in lower case.
    const removed = SPOOFED.concat(HARMLESS).filter((name) => new RegExp(`^(?:${regex})$`).test(name.toLowerCase()));
    expect(removed).toEqual(SPOOFED);
    expect([forwarded, others]).toEqual([{ remove: "forwarded" }, []]);
  });

  test("passes on Latchkey's answers, admits no request without an answer, and keeps credentials from the service", () => {
    const { failure_mode_allow, http_service } = check.typed_config;
    expect(failure_mode_allow).toBe(false);
    const routes = host.routes.map(({ typed_per_filter_config }: Record<string, Settings>) => {
      return typed_per_filter_config?.["envoy.filters.http.ext_authz"].check_settings;
    });
    if (http_service === undefined) {
      expect(routes.map(({ context_extensions }: Settings) => context_extensions)).toEqual(
        ["plans:read", "plans:write"].map((scope) => ({ scope, remove: CREDENTIALS.join(" ") })),
      );
      return;
    }
    for (const service of [http_service, routes[1].http_service]) {
      const { prefix } = service.authorization_response.allowed_upstream_headers.patterns[0];
      expect(ANSWERED.filter((name) => !name.toLowerCase().startsWith(prefix))).toEqual([]);
    }
    expect(host.request_headers_to_remove).toEqual(CREDENTIALS);
  });
});

describe("the example for Traefik", async () => {
  const { routers, middlewares } = (await read("traefik/dynamic.yml")).http;

  test.each(["plans-read", "plans-write"])(
    "removes every X-Auth-* of a client of %s, and nothing else, hands on what Latchkey answers, and no credentials",
    (router) => {
      const [, check, credentials] = routers[router].middlewares;
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
