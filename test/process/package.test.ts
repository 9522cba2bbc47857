import { execFile } from "node:child_process";
import { mkdir, mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { INSTALL_MS } from "../../tools/on-demand/packages.ts";
import { writeServicePackage } from "../../tools/release/service-package.ts";
import { chooseProviderPort } from "../harness/dev-provider.ts";
import { post } from "../harness/http.ts";
import { runNpm } from "../harness/service-process.ts";

const run = promisify(execFile);
const ROOT = fileURLToPath(new URL("../../", import.meta.url));
const MEGABYTES_MAX = 150;

/** A folder with no checkout above it. */
let place: string;
/** Those of this machine, which may name a registry, and an empty home. */
let env: NodeJS.ProcessEnv;

beforeAll(async () => {
  place = await mkdtemp(join(tmpdir(), "latchkey-package-"));
  const home = join(place, "home");
  env = { ...process.env, HOME: home };
  for (const folder of [home, join(place, "project")]) await mkdir(folder);
  writeServicePackage(ROOT, join(place, "package"));
  await run("npm", ["pack", "--silent"], { cwd: join(place, "package"), env });
  const { version } = JSON.parse(await readFile(join(ROOT, "package.json"), "utf8"));
  const tarball = join(place, "package", `latchkey-${version}.tgz`);
  await run("npm", ["install", "--no-audit", "--no-fund", tarball], { cwd: join(place, "project"), env });
}, INSTALL_MS);

afterAll(() => rm(place, { recursive: true, force: true }));

test("the package installs little more than itself, and none of our tools", async () => {
  const installed = await readdir(join(place, "project/node_modules"));
  expect(installed.filter((name) => !name.startsWith("."))).toEqual(["@electric-sql", "latchkey"]);
  const { stdout } = await run("du", ["-sm", join(place, "project/node_modules")]);
  expect(Number.parseInt(stdout, 10)).toBeLessThan(MEGABYTES_MAX);
});

test("it names the licenses of what its build contains", async () => {
  const text = await readFile(join(place, "project/node_modules/latchkey/THIRD-PARTY.md"), "utf8");
  for (const name of ["kysely", "oidc-provider", "react", "swagger-ui-dist"])
    expect(text).toMatch(new RegExp(`^## ${name} \\d`, "m"));
});

test("`npx latchkey dev` in an empty folder serves the printed first call, the console and the reference", {
  timeout: INSTALL_MS,
}, async () => {
  const folder = join(place, "project/empty");
  await mkdir(folder);
  await chooseProviderPort(folder);
  const dev = runNpm(["exec", "latchkey", "dev"], { PORT: "0" }, folder);
  onTestFinished(async () => {
    dev.killAll();
    await dev.ended();
  });
  await dev.waitFor(/\/try\n/);
  const [, call = "", url = ""] = /^A first call.*? {2,}(curl -sS (http:\/\/[^/]+)\/.*)$/m.exec(dev.output()) ?? [];
  const { stdout } = await run("sh", ["-c", call]);
  expect(JSON.parse(stdout)).toMatchObject({ caller: "CALLER_SECRET_KEY", tenant_id: "ten_dev" });
  for (const path of ["/console", "/docs", "/docs/swagger-ui-bundle.js"])
    expect((await fetch(url + path)).status, path).toBe(200);

  const token = async (...options: string[]) =>
    (await run("npx", ["latchkey", "dev", "token", ...options], { cwd: folder, env })).stdout.trim();
  const create = async (authorization: string) =>
    (await post(url, "/api/v1/api-keys/create", { name: "k", permissions: ["plans:read"] }, { authorization })).status;
  expect(await create(`Bearer ${await token()}`)).toBe(200);
  expect(await create(`Bearer ${await token("--role", "viewer")}`)).toBe(403);
  const page = await (await fetch(/http:\S+\/try/.exec(dev.output())?.[0] ?? "")).text();
  expect(page).toContain("npx latchkey dev token --sub alice --role viewer");
});
