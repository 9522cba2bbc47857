import { glob, readdir, readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import type { DescFile } from "@bufbuild/protobuf";
import { describe, expect, test } from "vitest";
import { ON_EMBEDDED, SLOW_ON_EMBEDDED } from "../contract/on-embedded.ts";
import { KEY_VERBS } from "../harness/key-management.ts";
import { isFirstOfItsKind, RPCS } from "../harness/rpcs.ts";
import { isOfApi } from "../harness/services.ts";
import { SLOW_TESTS } from "../slow-tests.ts";

const CONTRACT = fileURLToPath(new URL("../contract/", import.meta.url));
const GEN = new URL("../../gen/latchkey/v1/", import.meta.url);

const files = await readdir(CONTRACT);

/** The names of all RPCs, from the generated descriptors. */
async function rpcNames(): Promise<string[]> {
  const generated = (await readdir(GEN)).filter((name) => name.endsWith("_pb.ts") && isOfApi(name));
  const modules = await Promise.all(generated.map((name) => import(new URL(name, GEN).href)));
  const isFile = (each: { kind?: unknown }): each is DescFile => each.kind === "file";
  const services = modules
    .flatMap((each) => Object.values<DescFile>(each).filter(isFile))
    .flatMap((file) => file.services);
  return services.flatMap(({ methods }) => methods.map(({ name }) => name));
}

const kebab = (name: string): string => name.replace(/(?<=.)[A-Z]/g, (letter) => `-${letter}`).toLowerCase();

describe.each(await rpcNames())("%s", (name) => {
  test("has contract tests of what it does and of its errors", () => {
    const parts = ["happy", "error"].map((part) => `${kebab(name)}.${part}.test.ts`);
    expect(files).toEqual(expect.arrayContaining(parts));
  });

  test("runs the suites that it shares with other RPCs", async () => {
    const path = RPCS.find(({ procedure }) => procedure.endsWith(`/${name}`))?.path;
    const verb = KEY_VERBS.find(({ method }) => path === `/api/v1/api-keys/${method}`)?.method;
    if (verb === undefined) return;
    const errors = await readFile(`${CONTRACT}${kebab(name)}.error.test.ts`, "utf8");
    expect(errors).toContain(`testKeyIdErrors(latchkey, "${verb}");`);
  });
});

test("all common denials run for one RPC of each kind of policy", () => {
  expect(RPCS.filter(isFirstOfItsKind).map(({ path }) => path)).toEqual([
    "/api/v1/api-keys/create",
    "/api/v1/audit/list",
    "/api/v1/auth/verify",
    "/api/v1/llm/gateway/list-threads",
    "/api/v1/operator/keys/find",
    "/api/v1/orgs/create",
    "/api/v1/scopes/list",
    "/api/v1/tokens/derive",
    "/api/v1/tokens/list",
  ]);
});

test("every contract test that also runs on the embedded store is there", () => {
  expect(files).toEqual(
    expect.arrayContaining(Object.keys({ ...ON_EMBEDDED, ...SLOW_ON_EMBEDDED }).map((name) => `${name}.test.ts`)),
  );
});

test("every file that `npm test` leaves out is there", async () => {
  const cwd = fileURLToPath(new URL("../", import.meta.url));
  for (const name of Object.keys(SLOW_TESTS)) {
    const found = await glob(`${name}.test.ts`, { cwd }).next();
    expect(found.done, name).toBe(false);
  }
});
