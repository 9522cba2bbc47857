// promise: callers.discovery
import { describe, expect, test } from "vitest";
import { mistakes } from "../../test/harness/config-mistakes.ts";
import { readConfig } from "./config.ts";
import type { Environment } from "./environment.ts";

const OIDC: Environment = {
  OIDC_ISSUER: "https://idp.example/",
  OIDC_JWKS_URL: "https://idp.example/jwks.json",
  OIDC_AUDIENCE: "dashboard",
};

describe("JWKS_ALLOWED_HOSTS", () => {
  const hosts = (value: string) => readConfig({ JWKS_ALLOWED_HOSTS: value }).jwksAllowedHosts;

  test("is empty unless it is set", () => {
    expect(readConfig({}).jwksAllowedHosts).toEqual([]);
    for (const value of ["", " ", ","]) expect(hosts(value)).toEqual([]);
  });

  test("is a list of hosts with their ports, in any case and with any spaces", () => {
    expect(hosts("localhost:9000")).toEqual(["localhost:9000"]);
    expect(hosts(" IDP.internal:443 ,10.0.0.1:8080,,[::1]:9000")).toEqual([
      "idp.internal:443",
      "10.0.0.1:8080",
      "[::1]:9000",
    ]);
  });

  test.each([
    ...["localhost", "*", "*:443", "*.example:443", "http://localhost:9000", "localhost:", ":9000", "localhost:x"],
    ...["localhost:9000/path", "user@localhost:9000", "::1:9000x", "localhost:123456", "10.0.0.0/8", "a:1 b:2"],
  ])("%j is not a host with its port", (value) => {
    for (const list of [value, `localhost:9000,${value}`]) {
      expect(mistakes({ JWKS_ALLOWED_HOSTS: list })).toEqual([
        expect.stringMatching(/^JWKS_ALLOWED_HOSTS .*host:port/),
      ]);
    }
  });
});

describe("the dashboard's provider", () => {
  test("is absent unless it is configured", () => {
    expect(readConfig({}).dashboard).toBeNull();
    expect(readConfig({ OIDC_ISSUER: " ", OIDC_TENANT_CLAIM: "org" }).dashboard).toBeNull();
  });

  test("is taken exactly as it is written, and its URL trusted", () => {
    expect(readConfig(OIDC).dashboard).toEqual({
      expectation: {
        issuer: "https://idp.example/",
        jwksUrl: "https://idp.example/jwks.json",
        audience: "dashboard",
        jwksOwner: { kind: "operator" },
      },
      userIdClaim: "sub",
      tenantClaim: "tenant_id",
      requiredClaims: {},
    });
    const local = { ...OIDC, OIDC_JWKS_URL: "http://127.0.0.1:9000/jwks", OIDC_TENANT_CLAIM: "https://x.example/org" };
    expect(readConfig(local).dashboard).toMatchObject({
      expectation: { jwksUrl: "http://127.0.0.1:9000/jwks" },
      tenantClaim: "https://x.example/org",
    });
  });

  test("has several audiences, separated by commas", () => {
    const audiences = (OIDC_AUDIENCE: string) => readConfig({ ...OIDC, OIDC_AUDIENCE }).dashboard?.expectation.audience;
    expect(audiences("console")).toBe("console");
    expect(audiences("console, cli ,https://api.example.com")).toEqual(["console", "cli", "https://api.example.com"]);
    for (const OIDC_AUDIENCE of [",", "a,", "a,,b"])
      expect(mistakes({ ...OIDC, OIDC_AUDIENCE })).toEqual([
        expect.stringMatching(/^OIDC_AUDIENCE must be one audience/),
      ]);
  });

  test("may leave its key set to be discovered from an issuer that cannot be replaced on the network", () => {
    const found = (OIDC_ISSUER: string, JWKS_ALLOWED_HOSTS = "") => {
      const { dashboard } = readConfig({ ...OIDC, OIDC_JWKS_URL: "", OIDC_ISSUER, JWKS_ALLOWED_HOSTS });
      return dashboard?.expectation.issuer === OIDC_ISSUER && dashboard.expectation.jwksUrl === undefined;
    };
    expect(found("https://idp.example/")).toBe(true);
    expect(found("http://127.0.0.1:9000/realms/a")).toBe(true);
    expect(found("http://idp.internal:9000", "idp.internal:9000")).toBe(true);
    const issuers = ["http://idp.example/", "http://10.0.0.1", "https://idp.example/?a", "https://idp.example/#a"];
    for (const OIDC_ISSUER of issuers)
      expect(mistakes({ ...OIDC, OIDC_JWKS_URL: "", OIDC_ISSUER })).toEqual([
        expect.stringMatching(/^OIDC_JWKS_URL is required, because it is discovered only from an OIDC_ISSUER/),
      ]);
  });

  test.each(["OIDC_ISSUER", "OIDC_AUDIENCE"])("is incomplete without %s", (name) => {
    for (const value of [undefined, "", " "]) {
      expect(mistakes({ ...OIDC, [name]: value })).toEqual([expect.stringMatching(`^${name} is required`)]);
    }
  });

  test.each(["OIDC_ISSUER", "OIDC_JWKS_URL"])("has a URL in %s", (name) => {
    for (const value of ["idp.example", "ftp://idp.example/", "/jwks"]) {
      expect(mistakes({ ...OIDC, [name]: value })).toEqual([expect.stringMatching(`^${name} must be a URL`)]);
    }
  });

  test("has a key set without user name and password, which would not be sent but be in the log", () => {
    for (const url of ["https://u:hunter2@idp.example/keys", "https://u@idp.example/keys", "http://:hunter2@[::1]/"]) {
      expect(mistakes({ ...OIDC, OIDC_JWKS_URL: url })).toEqual([
        "OIDC_JWKS_URL must be without user name and password; name a key set that is public",
      ]);
    }
  });
});

describe("a text that only begins like a URL", () => {
  test.each([
    ["DATABASE_URL", "postgres://127.0.0.1:99999/x"],
    ["DATABASE_URL", "postgresql://u:hunter2/x@db/x"],
    ["DATABASE_URL", "Postgres://u:hunter2@db:port/x"],
    ["OPENAI_BASE_URL", "http://"],
    ["OIDC_ISSUER", "https://:443/"],
  ])("is refused with the problem in the rest: %s=%s", (name, value) => {
    const [line = ""] = mistakes({ OPENAI_MODEL: "m", ...OIDC, [name]: value }).filter((line) => line.startsWith(name));
    expect(line).toMatch(
      /^\w+ must name a host, and no port above 65535; .* password are written %2F %3F %23 %40 %25$/,
    );
    expect(line).not.toContain("hunter2");
  });

  test("and where a socket takes the place of the host, how to write that", () => {
    const [line = ""] = mistakes({ DATABASE_URL: "postgres://u:hunter2@/db?host=/socket" });
    expect(line).toContain("DATABASE_URL must name a host");
    expect(line).toContain("for a socket write localhost: postgres://user:password@localhost/database?host=/folder");
    expect(line).not.toContain("hunter2");
  });

  test.each(["mysql://db/x", "db.internal:5432/x", "/x", "postgres:u:hunter2@db/x", "postgres:/u:hunter2@db/x"])(
    "and one that begins otherwise, how to begin: %s",
    (value) => {
      expect(mistakes({ DATABASE_URL: value })).toEqual([
        "DATABASE_URL must be a URL beginning with postgres:// or postgresql://",
      ]);
    },
  );

  test.each(["%zz", "%", "%ff"])("and one whose password has a wrong escape, how to write it: %s", (wrong) => {
    expect(mistakes({ DATABASE_URL: `postgres://u:hunter2${wrong}@db/x` })).toEqual([
      "DATABASE_URL must have its user name and password percent-encoded; / ? # @ % in a user name or password are written %2F %3F %23 %40 %25",
    ]);
  });
});

describe("OPENAI_API_KEY", () => {
  test.each(["sk-hunter2\u2026", "sk-\nhunter2", "sk-hunter2\u0000", "sk-hunt\u00e9r2"])(
    "that cannot be sent in a header is a mistake, which does not show it: %j",
    (OPENAI_API_KEY) => {
      expect(mistakes({ OPENAI_MODEL: "m", OPENAI_API_KEY })).toEqual([
        "OPENAI_API_KEY must be one line of ASCII characters; copy the whole key again from where it was made",
      ]);
    },
  );

  test("of another program is ignored where no model is configured", () => {
    expect(readConfig({ OPENAI_API_KEY: "sk-\u2026" }).assistant).toBeNull();
  });

  test("may have any white space around it", () => {
    expect(readConfig({ OPENAI_MODEL: "m", OPENAI_API_KEY: " sk-key~!\n" }).assistant?.apiKey).toBe("sk-key~!");
  });
});

describe("DATABASE_POOL_SIZE", () => {
  const DATABASE_URL = "postgres://u:p@db/x";
  const poolSize = (value: string) => readConfig({ DATABASE_URL, DATABASE_POOL_SIZE: value }).storage;

  test("is 10 unless it is set, and otherwise from 1 to 100", () => {
    expect(readConfig({ DATABASE_URL }).storage).toEqual({ kind: "postgres", url: DATABASE_URL, poolSize: 10 });
    expect(poolSize("1")).toMatchObject({ poolSize: 1 });
    expect(poolSize("100")).toMatchObject({ poolSize: 100 });
  });

  test.each(["0", "101", "-1", "ten", "1.5"])("is refused as %s, with its bounds", (value) => {
    expect(mistakes({ DATABASE_URL, DATABASE_POOL_SIZE: value })).toEqual([
      "DATABASE_POOL_SIZE must be an integer from 1 to 100",
    ]);
  });
});

test("the bounds of what a process serves at once have defaults, and 0 switches each off", () => {
  const rest = { burstMs: 1_000 };
  const on = { waitMsMax: 250, requestsMax: 10_000, connectionsPerAddressMax: 10_000, bodyBytesMax: 134_217_728 };
  expect(readConfig({}).overload).toEqual({ ...rest, ...on });
  const none = { waitMsMax: 0, requestsMax: 0, connectionsPerAddressMax: 0, bodyBytesMax: 0 };
  const off = {
    OVERLOAD_WAIT_MS: "0",
    REQUESTS_AT_ONCE_MAX: "0",
    CONNECTIONS_PER_ADDRESS_MAX: "0",
    BODY_MIB_AT_ONCE_MAX: "0",
  };
  expect(readConfig(off).overload).toEqual({ ...rest, ...none });
  const wrong = { OVERLOAD_WAIT_MS: "60001", OVERLOAD_BURST_MS: "99", REQUESTS_AT_ONCE_MAX: "-1" };
  expect(mistakes({ ...wrong, CONNECTIONS_PER_ADDRESS_MAX: "many" })).toEqual([
    "OVERLOAD_WAIT_MS must be an integer from 0 to 60000",
    "OVERLOAD_BURST_MS must be an integer from 100 to 60000",
    "REQUESTS_AT_ONCE_MAX must be an integer from 0 to 1000000",
    "CONNECTIONS_PER_ADDRESS_MAX must be an integer from 0 to 1000000",
  ]);
});

test("DASHBOARD_REQUESTS_PER_MINUTE is 6,000 unless it is set, and 0 means no limit", () => {
  const limitOf = (value?: string) => readConfig({ DASHBOARD_REQUESTS_PER_MINUTE: value }).dashboardRequestsPerMinute;
  expect([limitOf(), limitOf("0"), limitOf("20")]).toEqual([6_000, 0, 20]);
  expect(mistakes({ DASHBOARD_REQUESTS_PER_MINUTE: "-1" })).toHaveLength(1);
});

test.each(["https://*.example.com", "https://app.example.com,*", "https://app.example.com, https://*.example.com"])(
  "CORS_ALLOWED_ORIGINS=%s is refused: no page is of such an origin",
  (value) => {
    expect(mistakes({ CORS_ALLOWED_ORIGINS: value })).toEqual([
      expect.stringMatching(/^CORS_ALLOWED_ORIGINS must be \* alone or name every origin in full/),
    ]);
  },
);

test("WORKERS above 1 needs stores that the processes can share", () => {
  expect(readConfig({}).workers).toBe(1);
  expect(readConfig({ WORKERS: "1" }).workers).toBe(1);
  expect(mistakes({ WORKERS: "2" })).toEqual([expect.stringMatching(/^WORKERS above 1 needs DATABASE_URL/)]);
  const DATABASE_URL = "postgres://u@db/x";
  expect(mistakes({ WORKERS: "2", DATABASE_URL })).toEqual([
    expect.stringMatching(/^WORKERS above 1 needs REDIS_URL, since without it each process would admit the full limit/),
  ]);
  expect(readConfig({ WORKERS: "2", DATABASE_URL, REDIS_URL: "redis://one" }).workers).toBe(2);
});

test("REDIS_TIMEOUT_MS is 200 unless it is set", () => {
  const timeoutOf = (value?: string) => readConfig({ REDIS_TIMEOUT_MS: value }).redisTimeoutMs;
  expect([timeoutOf(), timeoutOf("10"), timeoutOf("1000")]).toEqual([200, 10, 1_000]);
  for (const value of ["9", "1001", "200ms"])
    expect(mistakes({ REDIS_TIMEOUT_MS: value })).toEqual(["REDIS_TIMEOUT_MS must be an integer from 10 to 1000"]);
});

test("SINGLE_POSTGRES is false unless it is set", () => {
  const isSingle = (value?: string) => readConfig({ SINGLE_POSTGRES: value }).singlePostgres;
  expect([isSingle(), isSingle("true"), isSingle("false")]).toEqual([false, true, false]);
  expect(mistakes({ SINGLE_POSTGRES: "yes" })).toEqual(["SINGLE_POSTGRES must be one of true, false"]);
});

test("REDIS_REQUIRED needs a Redis", () => {
  expect(mistakes({ REDIS_REQUIRED: "true" })).toEqual([expect.stringMatching(/^REDIS_REQUIRED needs REDIS_URL/)]);
  expect(readConfig({ REDIS_REQUIRED: "true", REDIS_URL: "redis://one" })).toMatchObject({ redisRequired: true });
  expect(readConfig({ REDIS_REQUIRED: "false" })).toMatchObject({ redisRequired: false, redisMoving: false });
  expect(readConfig({ REDIS_MOVING: "true" })).toMatchObject({ redisMoving: true });
});

test("all mistakes are reported at once, without any value", () => {
  const lines = mistakes({
    PORT: "hunter2",
    OIDC_ISSUER: "hunter2",
    OIDC_JWKS_URL: "hunter2",
    OIDC_AUDIENCE: "hunter2",
    JWKS_ALLOWED_HOSTS: "hunter2",
    DATABASE_URL: "mysql://u:hunter2@db/",
    LOG_LEVEL: "hunter2",
  });
  expect(lines.map((line) => line.split(" ", 1)[0])).toEqual(
    expect.arrayContaining(["PORT", "DATABASE_URL", "OIDC_ISSUER", "OIDC_JWKS_URL", "JWKS_ALLOWED_HOSTS", "LOG_LEVEL"]),
  );
  expect(lines.join()).not.toContain("hunter2");
});

describe("the admin port", () => {
  test("is that of all, unless it is named", () => {
    expect(readConfig({}).adminPort).toBeNull();
    expect(readConfig({ ADMIN_PORT: "9090" }).adminPort).toBe(9_090);
    expect(readConfig({ ADMIN_PORT: "0", PORT: "0" }).adminPort).toBe(0);
  });

  test("may be the only one where proxies ask, and then must be there", () => {
    expect(readConfig({}).checkPort).toBeNull();
    expect(readConfig({ ADMIN_PORT: "9090", CHECK_PORT: "admin" }).checkPort).toBe("admin");
    expect(mistakes({ CHECK_PORT: "admin" })).toEqual(["CHECK_PORT is about ADMIN_PORT, so it needs that one"]);
    expect(mistakes({ ADMIN_PORT: "9090", CHECK_PORT: "9090" })).toEqual([expect.stringContaining("CHECK_PORT")]);
  });

  test.each([{ ADMIN_PORT: "8080" }, { ADMIN_PORT: "9000", PORT: "9000" }])("must be another than PORT: %o", (env) => {
    expect(mistakes(env)).toEqual(["ADMIN_PORT must be another port than PORT; without ADMIN_PORT all is on PORT"]);
  });
});
