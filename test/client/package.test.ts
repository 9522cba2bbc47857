import { access, readdir, readFile, writeFile } from "node:fs/promises";
import { builtinModules } from "node:module";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { INSTALL_MS, load } from "../../tools/on-demand/packages.ts";
import { SERVICES } from "../harness/services.ts";
import { checkTypes, type PackedClient, packClient, run } from "./packed.ts";

/** What is used of `@arethetypeswrong/core`. */
interface TypeChecker {
  createPackageFromTarballData(tarball: Uint8Array): object;
  checkPackage(pack: object): Promise<{ types: object | false; entrypoints: object; problems: object[] }>;
}

/** What is used of `publint`. */
interface Publint {
  publint(options: { pkgDir: string; pack: boolean; strict: boolean }): Promise<{ messages: object[] }>;
}

let packed: PackedClient;

beforeAll(async () => {
  packed = await packClient();
});

afterAll(() => packed.remove());

describe("the packed client", () => {
  test("passes publint", { timeout: INSTALL_MS }, async () => {
    const { publint } = await load<Publint>("publint");
    const { messages } = await publint({ pkgDir: packed.directory, pack: false, strict: true });
    expect(messages).toEqual([]);
  });

  test("has types that match its modules, for every entry", { timeout: INSTALL_MS }, async () => {
    const { checkPackage, createPackageFromTarballData } = await load<TypeChecker>("@arethetypeswrong/core");
    const analysis = await checkPackage(createPackageFromTarballData(packed.tarball));
    expect(analysis.types).not.toBe(false);
    const frameworks = ["./express", "./fastify", "./hono", "./next", "./react"];
    expect(Object.keys(analysis.entrypoints)).toEqual([
      ".",
      "./server",
      "./edge",
      ...frameworks,
      "./gen/latchkey/v1/policy_pb.js",
      "./package.json",
    ]);
    // Node 10, which knows no `exports`, is not promised. Everything else is: `import`, `require`, and bundlers.
    const isPromised = (problem: object) => !("resolutionKind" in problem) || problem.resolutionKind !== "node10";
    expect(analysis.problems.filter(isPromised)).toEqual([]);
  });

  test("contains the build, the README and the licence, no source and no test", async () => {
    const files = await readdir(packed.directory, { recursive: true, withFileTypes: true });
    const names = files.filter((file) => file.isFile()).map(({ name }) => name);
    expect(names).toEqual(expect.arrayContaining(["package.json", "README.md", "LICENSE", "index.js", "index.d.ts"]));
    expect(names.filter((name) => /(?<!\.d)\.ts$|\.test\.|tsconfig/.test(name))).toEqual([]);
  });

  test("has a source map beside each module, with the source in it", async () => {
    const files = await readdir(join(packed.directory, "dist"), { recursive: true, withFileTypes: true });
    const modules = files.filter(({ name }) => name.endsWith(".js"));
    expect(modules.length).toBeGreaterThan(100);
    for (const { parentPath, name } of modules) {
      const path = join(parentPath, name);
      const map = JSON.parse(await readFile(`${path}.map`, "utf8"));
      // The edge is one module of many.
      const isBundle = parentPath.endsWith("edge");
      expect(map.sourcesContent.length > 1, path).toBe(isBundle);
      for (const source of map.sourcesContent) expect(source, path).toMatch(/\S/);
      expect(await readFile(path, "utf8")).toContain(`//# sourceMappingURL=${name}.map`);
    }
  });

  test("has hooks that a server component may import, in both formats", async () => {
    for (const format of ["esm", "cjs"]) {
      const module = await readFile(join(packed.directory, `dist/${format}/react/index.js`), "utf8");
      // A directive counts before all other code only.
      expect(module).toMatch(/^("use strict";\s*)?"use client";/);
    }
  });

  test("has a README whose links lead to headings and packed files", async () => {
    const readme = await readFile(join(packed.directory, "README.md"), "utf8");
    const headings = [...readme.matchAll(/^#+ (.+)$/gm)].map(([, title = ""]) =>
      title.toLowerCase().replaceAll(" ", "-"),
    );
    for (const [, link = ""] of readme.matchAll(/\]\(([^)]+)\)/g)) {
      if (link.startsWith("#")) expect(headings).toContain(link.slice(1));
      else if (!link.startsWith("https://")) await access(join(packed.directory, link));
    }
  });

  test("has types for a strict project, which reject credentials that do not fit together", async () => {
    const file = join(packed.project, "consumer.mts");
    await writeFile(
      file,
      `import { CreateApiKeyRequestSchema, create, createLatchkeyClient, denialOf, eachOf, isDenial, timestampFromDate } from "@latchkey/client";
       import type { AuditAction, BuiltInScope, Federation, ListAuditEventsRequestSchema, RequestInput, UpdateApiKeyRequestSchema } from "@latchkey/client";
       import type { CreateWebhookRequestSchema, UpdateFederationRuleRequestSchema, UpdateWebhookRequestSchema } from "@latchkey/client";
       import { createGuard, callerOf, type Scopes } from "@latchkey/client/server";
       const client = createLatchkeyClient({ baseUrl: "", apiKey: "sk_", onBehalfOf: "u" });
       export const name: Promise<string> = client.apiKeys.getApiKey({ keyId: "" }).then((a) => a.result?.name ?? "");
       export const limit: number | undefined = denialOf(undefined)?.rateLimit?.limit;
       export const tenant: string = callerOf({}).tenantId;
       export const guard = createGuard({ baseUrl: "", ownScopes: ["reports:read"] }).node(["plans:read"]);
       export const names: Promise<string[]> = client.scopes.listScopes({}).then((a) => a.scopes.map(({ name }) => name));
       export const tenants: Promise<string[]> = client.operator
         .listTenants({ onlySuspended: true })
         .then((a) => a.tenants.map(({ tenantId, suspendedAt }) => tenantId + String(suspendedAt?.seconds)));
       // As Next.js and Cloudflare's workers call a handler.
       type Context = { params: Promise<{ id: string }> };
       const plans = createGuard({ baseUrl: "" });
       export const GET: (request: Request, context: Context) => Promise<Response> = plans.fetch(
         "plans:read",
         async (_request, caller, { params }: Context) => Response.json([caller.tenantId, (await params).id]),
       );
       export const worker: { fetch(request: Request, env: { REGION: string }, ctx: object): Promise<Response> } = {
         fetch: plans.fetch([], (_request, _caller, env: { REGION: string }) => new Response(env.REGION)),
       };
       export const alone: (request: Request) => Promise<Response> = plans.fetch([], () => new Response());
       // Editors complete these, and any other text is taken.
       const key = { name: "k", permissions: ["plans:read", "plans:*", "reports:read"], expiresAt: new Date() };
       client.apiKeys.createApiKey(key);
       client.apiKeys.updateApiKey({ keyId: "", updateMask: ["rate_limit.per_user"], expiresAt: "2030-01-31T12:00:00Z" });
       client.audit.listAuditEvents({ action: "api_key.created", from: timestampFromDate(new Date()), to: new Date() });
       type Asked = RequestInput<typeof CreateApiKeyRequestSchema>["permissions"];
       export const permissions: Asked = ["plans:read"] satisfies BuiltInScope[];
       // Beside a plain string the names would be none of their own, and editors would complete nothing.
       type Kept<Names, Name extends Names> = Extract<Names, Name>;
       export const kept: [
         Kept<NonNullable<Asked>[number], "plans:*">,
         Kept<RequestInput<typeof ListAuditEventsRequestSchema>["action"], "org.created">,
         Exclude<RequestInput<typeof UpdateApiKeyRequestSchema>["updateMask"], string | undefined>[number] & "metadata",
         Extract<Scopes, "plans:read">,
         Exclude<RequestInput<typeof UpdateWebhookRequestSchema>["updateMask"], string | undefined>[number] & "url",
         Exclude<RequestInput<typeof UpdateFederationRuleRequestSchema>["updateMask"], string | undefined>[number] & "claimRules",
         Kept<NonNullable<RequestInput<typeof CreateWebhookRequestSchema>["events"]>[number], "api_key.leaked">,
         Kept<NonNullable<Federation["scopes"]>[number], "plans:read">,
       ] = ["plans:*", "org.created", "metadata", "plans:read", "url", "claimRules", "api_key.leaked", "plans:read"];
       // The names of one request's members are none of another's.
       type Masks<Request> = Request extends { updateMask?: string | readonly (infer Name)[] } ? Name : never;
       // @ts-expect-error a key has no url
       export const others: Extract<Masks<RequestInput<typeof UpdateApiKeyRequestSchema>>, "url"> = "url";
       // @ts-expect-error a webhook has no permissions
       export const more: Extract<Masks<RequestInput<typeof UpdateWebhookRequestSchema>>, "permissions"> = "permissions";
       client.webhooks.updateWebhook({ webhookId: "", url: "", updateMask: ["url", "younger_member"] });
       client.federation.updateFederationRule({ ruleId: "", updateMask: "name" });
       export const closed: [BuiltInScope, AuditAction] = ["plans:read", "api_key.created"];
       // @ts-expect-error misspelt
       export const misspelt: BuiltInScope = "plan:read";
       export async function listed(): Promise<string[]> {
         const found: string[] = [];
         for await (const { name } of eachOf(client.apiKeys.listApiKeys, { scope: "plans:read" })) found.push(name);
         for await (const { eventId } of eachOf(client.audit.listAuditEvents)) found.push(eventId);
         // @ts-expect-error no such member of an item
         for await (const { nme } of eachOf(client.apiKeys.listApiKeys, {})) found.push(nme);
         // @ts-expect-error no such filter
         eachOf(client.apiKeys.listApiKeys, { scopes: [] });
         return found;
       }
       // @ts-expect-error a number is no time
       client.apiKeys.createApiKey({ name: "", expiresAt: 1 });
       // @ts-expect-error no mask
       client.apiKeys.updateApiKey({ updateMask: { paths: ["name"] } });
       // @ts-expect-error no list
       client.apiKeys.createApiKey({ permissions: "plans:read" });
       // A message is taken, too.
       client.apiKeys.createApiKey(create(CreateApiKeyRequestSchema, { name: "k" }));
       // @ts-expect-error the handler needs what the framework gives beside the request
       GET(new Request(""));
       // @ts-expect-error no such member
       client.apiKeys.createApiKey({ name: "", rate_limit: {} });
       isDenial(undefined, "tenant_suspended");
       // @ts-expect-error no such reason
       isDenial(undefined, "api_key_lost");
       // @ts-expect-error no credentials
       createLatchkeyClient({ baseUrl: "" });
       // @ts-expect-error a user's token already names the user
       createLatchkeyClient({ baseUrl: "", getUserToken: () => "", onBehalfOf: "u" });`,
    );
    await checkTypes(packed, file);
  });
});

test("the client knows the items of every list, by their own members", async () => {
  const lists = SERVICES.flatMap(({ name, methods }) =>
    methods.flatMap(({ name: rpc, output }) => (rpc.startsWith("List") ? [{ name, rpc, output }] : [])),
  );
  expect(lists.length).toBeGreaterThan(14);
  const lines = lists.map(({ name, rpc, output }) => {
    const [items] = output.fields.filter(({ fieldKind }) => fieldKind === "list");
    const item = items?.message?.typeName ?? "";
    return `Same<ItemOf<MessageShape<(typeof client.${name})["method"]["${localName(rpc)}"]["output"]>>["$typeName"], "${item}">`;
  });
  const file = join(packed.project, "items.mts");
  await writeFile(
    file,
    `import * as client from "@latchkey/client";
     import type { ItemOf } from "@latchkey/client";
     import type { MessageShape } from "@bufbuild/protobuf";
     type Same<One, Other> = [One] extends [never] ? false : One extends Other ? true : false;
     export const all: [\n${lines.join(",\n")}] = [${lines.map(() => "true").join()}];`,
  );
  await checkTypes(packed, file);
});

function localName(rpc: string): string {
  return rpc.charAt(0).toLowerCase() + rpc.slice(1);
}

/** The folder of generated code, in the source. */
const GENERATED = new URL("../../clients/typescript/src/gen/latchkey/v1/", import.meta.url);

test("the client exports every message, enum and service of the API, so that no deep import is needed", async () => {
  const values: string[] = [];
  const types: string[] = [];
  for (const name of await readdir(GENERATED)) {
    const text = await readFile(new URL(name, GENERATED), "utf8");
    for (const [, kind, exported = ""] of text.matchAll(/^export (const|type) (\w+)/gm))
      (kind === "const" ? values : types).push(exported);
  }
  expect(values).toEqual(expect.arrayContaining(["IssuedKeySchema", "KeyStatusSchema", "UsageService"]));
  expect(values.length).toBeGreaterThan(150);
  expect(types.length).toBeGreaterThan(100);
  const file = join(packed.project, "everything.mts");
  await writeFile(
    file,
    `import * as client from "@latchkey/client";
     export type All = [${types.map((name) => `client.${name}`).join()}];
     export const denial = client.fromJson(client.DenialSchema, {}) satisfies client.DenialMessage;
     export const limit = client.create(client.RateLimitSchema, {}) satisfies client.KeyRateLimit;
     console.log(JSON.stringify([${values.map((name) => `typeof client.${name}`).join()}]));`,
  );
  await checkTypes(packed, file);
  const { stdout } = await run(process.execPath, [file], { cwd: packed.project });
  expect(new Set(JSON.parse(stdout))).toEqual(new Set(["object"]));
});

describe("the client's browser entry", () => {
  test("imports no module of Node, no server code, and no package but its three", async () => {
    const { modules, packages } = await reach(join(packed.directory, "dist/esm/index.js"));
    expect(modules.length).toBeGreaterThan(15);
    expect(modules.filter((module) => module.includes("/server/"))).toEqual([]);
    expect([...packages].filter((name) => name.startsWith("node:") || builtinModules.includes(name))).toEqual([]);
    expect(new Set([...packages].map((name) => name.split("/").slice(0, 2).join("/")))).toEqual(
      new Set(["@bufbuild/protobuf", "@connectrpc/connect", "@connectrpc/connect-web"]),
    );
  });
});

/** All modules of the package that one leads to, and all packages that they import. */
async function reach(entry: string): Promise<{ modules: string[]; packages: Set<string> }> {
  const modules = [entry];
  const packages = new Set<string>();
  for (const module of modules) {
    const text = await readFile(module, "utf8");
    for (const [, specifier = ""] of text.matchAll(/(?:from|import)\s*\(?\s*"([^"]+)"/g)) {
      const path = join(dirname(module), specifier);
      if (!specifier.startsWith(".")) packages.add(specifier);
      else if (!modules.includes(path)) modules.push(path);
    }
  }
  return { modules, packages };
}
