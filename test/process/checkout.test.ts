import { readdir, readFile, stat, utimes } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, expect, inject, onTestFinished, test } from "vitest";
import { generateSigningKey, type IdentityProvider, startIdentityProvider } from "../../src/dev/identity-provider.ts";
import { post } from "../harness/http.ts";
import { createKey, newTenant } from "../harness/latchkey.ts";
import { run, runNpm } from "../harness/service-process.ts";
import { createDatabase, dropDatabase } from "../servers/postgres.ts";
import { type Checkout, createCheckout } from "./checkout.ts";

/** One round shows what a change of the sources does to a process under load and to one that starts; more are a matter of luck. */
const ROUNDS = inject("longForm") ? 10 : 2;
const DAY_MS = 24 * 3_600 * 1_000;
const REPORT_PACKAGES = new URL("fixtures/report-packages.ts", import.meta.url).href;
const REPORT_LOADS = new URL("fixtures/report-loads.ts", import.meta.url).href;
const LIST = "/api/v1/api-keys/list";
const VERIFY = "/api/v1/auth/verify";

let checkout: Checkout;
let provider: IdentityProvider;
let env: Record<string, string>;

beforeEach(async () => {
  checkout = await createCheckout();
  provider = await startIdentityProvider(await generateSigningKey());
  const { issuer, jwksUrl, audience } = provider;
  const oidc = { OIDC_ISSUER: issuer, OIDC_JWKS_URL: jwksUrl, OIDC_AUDIENCE: audience };
  const DATABASE_URL = await createDatabase(inject("postgresUrl"));
  const JWKS_ALLOWED_HOSTS = new URL(jwksUrl).host;
  env = { DATABASE_URL, ...oidc, JWKS_ALLOWED_HOSTS, HOST: "127.0.0.1", PORT: "0", DRAIN_SECONDS: "0" };
});

afterEach(async () => {
  await dropDatabase(inject("postgresUrl"), env.DATABASE_URL ?? "");
  await provider.close();
  await checkout.remove();
});

interface Started {
  readonly url: string;
  /** Ends it, and npm with it. */
  end(): Promise<void>;
}

async function npmStart(): Promise<Started> {
  const npm = runNpm(["start"], env, checkout.dir);
  onTestFinished(npm.killAll);
  return {
    url: await npm.listening(),
    async end() {
      npm.killAll();
      await npm.ended();
    },
  };
}

/** Headers of a dashboard user, with a token that no process has seen. */
const dashboard = async (tenant: string) => ({
  authorization: `Bearer ${await provider.sign({ sub: "u", tenant_id: tenant })}`,
});

test("npm start, twice at once and beside a process under load, disturbs none of them, while the sources change", async () => {
  const tenant = newTenant();
  let serving = await npmStart();
  const { key } = await createKey(serving.url, await dashboard(tenant), {});
  /** What a dashboard user and a key are answered. */
  const statuses = async ({ url }: Started): Promise<number[]> => {
    const asUser = await post(url, LIST, {}, await dashboard(tenant));
    const asKey = await post(url, VERIFY, {}, { "x-api-key": key });
    return [asUser.status, asKey.status];
  };
  for (let round = 0; round < ROUNDS; round++) {
    await checkout.edit();
    let isOver = false;
    const load = (async () => {
      const seen = new Set<number>();
      while (!isOver) for (const status of await statuses(serving)) seen.add(status);
      return [...seen];
    })();
    const both = await Promise.all(
      [npmStart(), npmStart()].map(async (starting) => {
        const started = await starting;
        expect((await fetch(`${started.url}/readyz`)).status).toBe(200);
        expect(await statuses(started)).toEqual([200, 200]);
        return started;
      }),
    );
    isOver = true;
    expect(await load).toEqual([200]);
    for (const started of both) expect(await statuses(started)).toEqual([200, 200]);
    const [next, other] = both;
    await Promise.all([serving.end(), other?.end()]);
    if (next !== undefined) serving = next;
  }
}, 300_000);

test("an npm start without a change in the sources builds nothing and writes nothing", async () => {
  expect(await checkout.build("--import", REPORT_PACKAGES)).toContain("loads rolldown");
  const built = await filesOf(join(checkout.dir, "dist"));
  expect(built.length).toBeGreaterThan(10);
  expect(await checkout.build("--import", REPORT_PACKAGES)).toBe("");
  await npmStart();
  expect(await filesOf(join(checkout.dir, "dist"))).toEqual(built);
});

test("builds of the same sources at once make one build, of which nothing else is left", async () => {
  await Promise.all([checkout.build(), checkout.build(), checkout.build()]);
  const found = await readdir(join(checkout.dir, "dist"));
  expect(found.sort()).toEqual([await currentBuild(), "latchkey.js", "main.js", "migrate.js"]);
});

test("a build is kept for a day after the next one took its place, however old it is", async () => {
  const longAgo = new Date(Date.now() - 2 * DAY_MS);
  const age = (build: string) => utimes(join(checkout.dir, "dist", build), longAgo, longAgo);
  const builds: string[] = [];
  for (let n = 0; n < 3; n++) {
    await checkout.edit();
    await checkout.build();
    builds.push(await currentBuild());
    if (n === 0) await age(builds[0] ?? "");
  }
  const kept = async () => (await readdir(join(checkout.dir, "dist"))).filter((name) => builds.includes(name));
  expect((await kept()).sort()).toEqual([...builds].sort());
  await age(builds[0] ?? "");
  await checkout.edit();
  await checkout.build();
  expect((await kept()).sort()).toEqual(builds.slice(1).sort());
});

test("a process that says it is ready loads no more files, whether it serves users, keys and users of keys or ends", async () => {
  await checkout.build();
  const started = run(
    join(checkout.dir, "dist/main.js"),
    { ...env, NODE_OPTIONS: `--import=${REPORT_LOADS}` },
    checkout.dir,
  );
  onTestFinished(() => void started.child.kill("SIGKILL"));
  const url = await started.listening();
  expect((await fetch(`${url}/readyz`)).status).toBe(200);
  const loads = () => started.output().match(/^loads file:.+$/gm) ?? [];
  const before = loads();
  expect(before.length).toBeGreaterThan(10);
  const user = await dashboard(newTenant());
  const secret = await createKey(url, user, {});
  const { issuer, jwksUrl, audience } = provider;
  const publishable = await createKey(url, user, {
    keyType: "KEY_TYPE_PUBLISHABLE",
    permissions: ["conversations:*"],
    publishableConfig: { oidc: { issuer, jwksUrl, audience } },
  });
  for (const headers of [{ "x-api-key": secret.key }, { "x-api-key": publishable.key, ...user }]) {
    expect((await post(url, VERIFY, {}, headers)).status).toBe(200);
  }
  started.child.kill("SIGTERM");
  expect(await started.ended()).toBe(0);
  expect(loads()).toEqual(before);
});

async function currentBuild(): Promise<string> {
  const main = await readFile(join(checkout.dir, "dist/main.js"), "utf8");
  return /^import "\.\/(\w+)\/main\.js";$/m.exec(main)?.[1] ?? "";
}

/** Every file and folder, with what tells whether it was written, or replaced, since. */
async function filesOf(dir: string): Promise<string[]> {
  const names = await readdir(dir, { recursive: true });
  return Promise.all(
    ["", ...names.sort()].map(async (name) => {
      const { ino, ctimeNs } = await stat(join(dir, name), { bigint: true });
      return `${name} ${ino} ${ctimeNs}`;
    }),
  );
}
