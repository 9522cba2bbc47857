import { access, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fromJson, type JsonObject } from "@bufbuild/protobuf";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { CreateApiKeyRequestSchema } from "../../gen/latchkey/v1/api_key_service_pb.ts";
import { type Config, readConfig } from "../../src/config/config.ts";
import { unknownVariables } from "../../src/config/unknown-variables.ts";
import { HOOK_DIALECTS } from "../../src/domain/orgs/hook-dialects.ts";
import { checkJwksUrl } from "../../src/domain/tokens/oidc-urls.ts";
import { DENIALS } from "../../src/domain/vocabulary/denial.ts";

const FOLDER = new URL("../../docs/guides/identity/", import.meta.url);
const EXAMPLES = new URL("../../examples/identity/", import.meta.url);
const HEADINGS = ["What you need", "Dashboard users", "The tenant in the token", "Publishable keys", "Mistakes"];
/** Members of `publishableConfig.oidc` that the schema does not have yet, each with the values that it may have. */
const NEWER: Readonly<Record<string, (value: unknown) => boolean>> = {
  audienceClaim: (value) => ["aud", "azp", "client_id"].includes(String(value)),
  authorizedParties: isTexts,
  tokenType: (value) => ["any", "id", "access"].includes(String(value)),
  claimRules: (value) => Array.isArray(value) && value.every(isRule),
  userIdPrefix: (value) => typeof value === "string",
};
/** What stands in a block for a secret, and a secret of that form. */
const SECRETS: readonly (readonly [RegExp, string])[] = [
  [/^<v1,whsec_.*>$/, `v1,whsec_${Buffer.alloc(32, 7).toString("base64")}`],
  [/^<.*>$/, "0123456789abcdef0123456789abcdef"],
];
/** The dashboard needs a URL as the issuer, so these have another one there. */
const OTHER_ISSUER = ["stytch"];

type Variables = Record<string, string>;

const names = (await readdir(FOLDER)).sort().map((file) => file.replace(/\.md$/, ""));
const pages = new Map(await Promise.all(names.map(async (name) => [name, await text(`${name}.md`)] as const)));
const providers = names.filter((name) => name !== "README");
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "latchkey-guides-"));
});

afterAll(() => rm(folder, { recursive: true }));

async function text(path: string): Promise<string> {
  return readFile(new URL(path, FOLDER), "utf8");
}

const pageOf = (name: string): string => pages.get(name) ?? "";

function blocks(name: string, language: string): string[] {
  return [...pageOf(name).matchAll(/^```(\w+)\n(.*?)^```$/gms)]
    .filter(([, each]) => each === language)
    .map(([, , block = ""]) => block);
}

function envBlocks(name: string): Variables[] {
  return blocks(name, "env").map((block) =>
    Object.fromEntries([...block.matchAll(/^([A-Z_]+)=(.*)$/gm)].map(([, key = "", value = ""]) => [key, value])),
  );
}

const jsonBlocks = (name: string): JsonObject[] => blocks(name, "json").map((block) => JSON.parse(block));

/** The first column of the table of mistakes, where each row has a cause and a remedy. */
function denials(name: string): string[] {
  const [, mistakes = ""] = pageOf(name).split(/^## Mistakes.*$/m);
  const rows = [...mistakes.matchAll(/^\|(.*)\|$/gm)].map(([, row = ""]) =>
    row.split(" | ").map((cell) => cell.trim()),
  );
  const [head, , ...others] = rows;
  expect(head?.slice(0, 2)).toEqual(["`denial_reason`", "Cause"]);
  for (const row of others) expect(row).toEqual(Array(3).fill(expect.stringMatching(/\S/)));
  return others.map(([reason = ""]) => reason.replaceAll("`", ""));
}

function isTexts(value: unknown): value is string[] {
  return Array.isArray(value) && value.length > 0 && value.every((each) => typeof each === "string");
}

function isRule(rule: Record<string, unknown>): boolean {
  const { claim, ...test } = rule;
  const [[kind, value] = [], ...others] = Object.entries(test);
  const types = kind === "equals" ? ["string", "number", "boolean"] : kind === "contains" ? ["string"] : [];
  return typeof claim === "string" && others.length === 0 && types.includes(typeof value);
}

/** Puts a secret in place of what says how to make one, and the page's own roles into the file that it names. */
async function readBlock(name: string, block: Variables): Promise<Config> {
  const env = { ...block };
  if (env.IDENTITY_HOOK_SECRET !== undefined) {
    const [, secret] = SECRETS.find(([form]) => form.test(env.IDENTITY_HOOK_SECRET ?? "")) ?? [];
    expect(secret, "no real secret is on a page").toBeDefined();
    env.IDENTITY_HOOK_SECRET = secret ?? "";
  }
  if (env.ROLES_FILE !== undefined) {
    const roles = jsonBlocks(name).filter((each) => Object.values(each).every(isTexts));
    expect(roles, "the page has the roles of its ROLES_FILE").toHaveLength(1);
    env.ROLES_FILE = join(folder, `${name}.json`);
    await writeFile(env.ROLES_FILE, JSON.stringify(roles[0]));
  }
  expect(unknownVariables(env)).toEqual([]);
  return readConfig(env);
}

test("there is a page for each of eighteen providers, and the index lists each once", () => {
  expect(providers).toHaveLength(18);
  const listed = [...pageOf("README").matchAll(/^\| \[[^\]]+\]\(([\w-]+)\.md\) /gm)].map(([, name]) => name);
  expect(listed.toSorted()).toEqual(providers);
});

test.each(names)("every relative link of %s leads to a file, and to a heading of it", async (name) => {
  const links = [...pageOf(name).matchAll(/\]\((?!https?:)([^)#\s]*)(?:#([\w-]+))?\)/g)];
  expect(links.length).toBeGreaterThan(name === "README" ? 15 : -1);
  for (const [link, path = "", anchor] of links) {
    const target = new URL(path === "" ? `${name}.md` : path, FOLDER);
    await access(target);
    if (anchor === undefined) continue;
    const headings = [...(await readFile(target, "utf8")).matchAll(/^#+ (.*)$/gm)].map(([, heading = ""]) =>
      heading
        .toLowerCase()
        .replaceAll(/[^\w -]/g, "")
        .replaceAll(" ", "-"),
    );
    expect(headings, link).toContain(anchor);
  }
});

test("each example and each dialect has a page that uses it, and no page another", async () => {
  const all = [...pages.values()].join("\n");
  const examples = [...all.matchAll(/examples\/identity\/([\w-]+\.mjs)/g)].map(([, file]) => file);
  expect([...new Set(examples)].sort()).toEqual((await readdir(EXAMPLES)).sort());
  const dialects = [...all.matchAll(/\?dialect=(\w+)/g)].map(([, dialect]) => dialect);
  expect([...new Set(dialects)].sort()).toEqual(Object.keys(HOOK_DIALECTS).sort());
});

describe.each(providers)("the page of %s", (name) => {
  const [dashboard = {}, ...further] = envBlocks(name);
  const common = envBlocks("README");

  test("has the headings that all pages have", () => {
    expect([...pageOf(name).matchAll(/^## (.*)$/gm)].map(([, heading]) => heading)).toEqual(HEADINGS);
    expect(pageOf(name).split("\n").length).toBeLessThan(100);
  });

  test("has variables that the service starts with, alone, together, and with those of the index", async () => {
    expect((await readBlock(name, dashboard)).dashboard).not.toBeNull();
    expect(common).toHaveLength(2);
    for (const block of [...further, ...common]) await readBlock(name, { ...dashboard, ...block });
  });

  test("says how to get a tenant without adoption, or adopts with roles", () => {
    expect(further.length, "a block for the tenant").toBeGreaterThan(0);
    for (const block of further) {
      if (block.OIDC_TENANT_CLAIM !== undefined) expect(block).toHaveProperty("OIDC_ROLES_CLAIM");
    }
  });

  test("has no secret that the service would start with", () => {
    for (const { IDENTITY_HOOK_SECRET } of [...further, ...common]) {
      if (IDENTITY_HOOK_SECRET !== undefined) expect(() => readConfig({ IDENTITY_HOOK_SECRET })).toThrow();
    }
  });

  test("has bodies for api-keys/create with members that exist, and the issuer of the dashboard", () => {
    const bodies = jsonBlocks(name).filter((each) => "publishableConfig" in each);
    expect(bodies.length).toBeGreaterThan(0);
    for (const body of bodies) {
      const { oidc } = body.publishableConfig as { oidc: JsonObject };
      for (const [member, isValid] of Object.entries(NEWER)) {
        if (Object.hasOwn(oidc, member)) expect(isValid(oidc[member]), member).toBe(true);
      }
      const older = Object.fromEntries(Object.entries(oidc).filter(([member]) => !Object.hasOwn(NEWER, member)));
      const { publishableConfig } = fromJson(CreateApiKeyRequestSchema, {
        ...body,
        publishableConfig: { oidc: older },
      });
      const { issuer = "", jwksUrl = "", audience } = publishableConfig?.oidc ?? {};
      expect(audience).toMatch(/\S/);
      expect(issuer).toMatch(/^[^\s{}]+$/);
      expect(checkJwksUrl(jwksUrl, [])).toBeUndefined();
      if (OTHER_ISSUER.includes(name)) continue;
      expect([issuer, jwksUrl]).toEqual([dashboard.OIDC_ISSUER, dashboard.OIDC_JWKS_URL]);
    }
  });

  test("names denials that exist, each with a cause and a remedy", () => {
    expect(denials(name).length).toBeGreaterThan(4);
    for (const reason of denials(name)) expect(Object.keys(DENIALS)).toContain(reason);
  });
});

test("the index names denials that exist", () => {
  expect(denials("README").length).toBeGreaterThan(7);
  for (const reason of denials("README")) expect(Object.keys(DENIALS)).toContain(reason);
});
