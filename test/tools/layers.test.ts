import { globSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path/posix";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));
const CLIENT = "clients/typescript/src";
/**
 * Each folder and program, what it may import beside itself, and why no more. Paths are those of the repository, without `src/`.
 * A file is in the room with the longest name. A `main.ts` is imported only where it is named.
 */
const ROOMS: Record<string, readonly [imports: string, because: string]> = {
  concurrency: ["", "it is below every layer: it imports nothing of the service"],
  domain: ["", "the domain is pure: it imports no other layer, no driver, no framework and no timer"],
  config: ["domain", "the configuration imports only the domain"],
  workers: ["concurrency domain", "a worker knows only the domain, and reaches the outside through its ports"],
  process: ["domain", "the code that runs a process does not know what the process serves"],
  store: [
    "concurrency config domain",
    "a store implements the domain's ports, and knows only the domain and its settings",
  ],
  interceptors: ["config domain gen", "interceptors know no service, and reach the outside through the domain's ports"],
  services: [
    "domain gen interceptors/call.ts",
    "a service converts messages and calls the domain; it reads only the call",
  ],
  transport: [
    "config domain gen interceptors package.json",
    "transport serves given handlers; it knows no service or store",
  ],
  edge: ["domain gen interceptors store transport", "an edge runs the gate, and knows neither services nor settings"],
  observability: [
    "concurrency config domain gen interceptors package.json store transport",
    "observability reads what the layers report; it knows no service and no worker",
  ],
  app: [
    "concurrency config domain edge gen interceptors observability package.json process services store transport workers",
    "the composition puts the layers together; it does not know what starts it",
  ],
  "main.ts": [
    "app app/sidecar/main.ts config observability package.json process store",
    "a process of production starts the composition",
  ],
  "migrate.ts": ["config store", "a migration needs no composition"],
  check: ["config domain package.json store", "a check reads the configuration and asks the stores; it starts nothing"],
  cli: [
    `app/sidecar/main.ts check ${CLIENT} config dev domain/imports/secret-of-row.ts domain/key-formats domain/vocabulary gen/commands.json main.ts migrate.ts package.json store`,
    "the command is a client: it calls the service, starts a program, or has `doctor` look at its surroundings; of the domain it has words, and how imported keys are hashed",
  ],
  dev: [
    "app config domain observability process store transport",
    "development starts the composed service, and calls it as any client does",
  ],
  [CLIENT]: ["", "the client runs in browsers: it imports nothing of Node, of its server entries or of the service"],
  [`${CLIENT}/server`]: [CLIENT, "the client imports nothing of the service"],
  [`${CLIENT}/edge`]: [`${CLIENT}/server edge`, "the client's edge is the service's"],
};
/** The packages that a room may import, if not all of them. */
const PACKAGES: Record<string, RegExp> = { domain: /^(?:node:(?!timers)|ipaddr\.js$)/, [CLIENT]: /^(?!node:)/ };
/** The only rooms and folders that may import a driver, or a scope of them. */
const DRIVERS: Record<string, string> = {
  kysely: "store/sql",
  pg: "store/sql",
  "pg-protocol": "store/sql",
  "@electric-sql": "store/sql",
  ioredis: "store/limits store/redis",
  jose: "dev store/jwks",
  undici: "store/http",
  "ipaddr.js": "domain/addresses",
  "@opentelemetry": "observability",
};
/** What a test beside its source may import, too. */
const OF_TESTS = { imports: "docs examples test tools", packages: /^(?:vitest|fast-check)$/ };

interface Import {
  readonly file: string;
  readonly line: number;
  readonly specifier: string;
}

const isIn = (folder: string, path: string) => `${path}/`.startsWith(`${folder}/`);
const isInAny = (folders: string, path: string) => folders.split(" ").some((folder) => isIn(folder, path));
const targetOf = ({ file, specifier }: Import) => join(dirname(file), specifier).replace(/^src\//, "");

function roomOf(path: string): string {
  const rooms = Object.keys(ROOMS).filter((room) => isIn(room, path.replace(/^src\//, "")));
  return rooms.reduce((longest, room) => (room.length > longest.length ? room : longest), "");
}

/** The imports of a file. The formatter puts each specifier on the last line of its statement. */
function importsOf(file: string, text: string): Import[] {
  return text.split("\n").flatMap((content, index) => {
    const all = content.matchAll(/^(?:(?:import|export|\}).* from|import) "([^"]+)"|\bimport\("([^"]+)"/g);
    return [...all].map(([, fixed, dynamic]) => ({ file, line: index + 1, specifier: fixed ?? dynamic ?? "" }));
  });
}

/** Why the file must not import it; undefined: it may. */
function faultIn(each: Import): string | undefined {
  const { file, specifier } = each;
  const name = roomOf(file);
  const [imports, because] = ROOMS[name] ?? ["", "the folder is in no room of this test"];
  const isTest = file.endsWith(".test.ts");
  if (specifier.startsWith(".")) {
    const target = targetOf(each);
    const allowed = isTest ? `${imports} ${OF_TESTS.imports}` : imports;
    if (/(?:^|\/)main\.ts$/.test(target)) return allowed.split(" ").includes(target) ? undefined : because;
    return (name !== "" && roomOf(target) === name) || isInAny(allowed, target) ? undefined : because;
  }
  if (isTest && OF_TESTS.packages.test(specifier)) return undefined;
  if (PACKAGES[name]?.test(specifier) === false) return because;
  const [driver, folders] = Object.entries(DRIVERS).find(([driver]) => isIn(driver, specifier)) ?? [];
  if (folders === undefined || isInAny(folders, file.replace(/^src\//, ""))) return undefined;
  return `only ${folders.replaceAll(" ", " and ")} may import ${driver}`;
}

const FILES = globSync([`src/**/*.ts`, `${CLIENT}/**/*.ts`], { cwd: ROOT }).filter(
  (file) => !isIn(`${CLIENT}/gen`, file),
);
const IMPORTS = FILES.flatMap((file) => importsOf(file, readFileSync(join(ROOT, file), "utf8")));

test("every file imports only what its room may, and every room uses what it may", () => {
  expect(IMPORTS.length).toBeGreaterThan(4_000);
  const faults = IMPORTS.map((each) => [each, faultIn(each)] as const).filter(([, fault]) => fault !== undefined);
  expect(faults.map(([{ file, line, specifier }, fault]) => `${file}:${line} imports ${specifier}: ${fault}`)).toEqual(
    [],
  );
  for (const [room, [imports]] of Object.entries(ROOMS)) {
    const targets = IMPORTS.filter(({ file }) => roomOf(file) === room).map(targetOf);
    const unused = imports.split(" ").filter((each) => each !== "" && !targets.some((target) => isIn(each, target)));
    expect(unused, room).toEqual([]);
  }
});

describe("the check", () => {
  test.each([
    ["src/domain/keys/x.ts", "../../store/sql/x.ts"],
    ["src/domain/keys/x.ts", "node:timers/promises"],
    ["src/domain/keys/x.ts", "@bufbuild/protobuf"],
    ["src/domain/keys/x.ts", "ipaddr.js"],
    ["src/domain/keys/x.test.ts", "../../../gen/latchkey/v1/api_key_pb.ts"],
    ["src/services/x.ts", "../interceptors/gate/order.ts"],
    ["src/app/x.ts", "./sidecar/main.ts"],
    ["src/app/x.ts", "kysely"],
    ["src/cli/x.ts", "../../gen/latchkey/v1/api_key_pb.ts"],
    ["src/cli/x.ts", "../app/sidecar/questions.ts"],
    ["src/store/sql/x.ts", "ioredis"],
    ["src/store/x/x.ts", "pg/lib/x.js"],
    ["src/transport/x.ts", "@opentelemetry/api"],
    ["src/new-room/x.ts", "./y.ts"],
    [`${CLIENT}/x.ts`, "node:fs"],
    [`${CLIENT}/x.ts`, "./server/guard.ts"],
    [`${CLIENT}/server/x.ts`, "../../../../src/domain/keys/x.ts"],
  ])("finds that %s must not import %s", (file, specifier) => {
    expect(faultIn({ file, line: 1, specifier })).toBeTypeOf("string");
  });

  test.each([
    'import "x";',
    'import { a } from "x";',
    'import type * as a from "x";',
    'import a from "x" with { type: "json" };',
    '  b,\n} from "x";',
    'export * from "x";',
    'const a = await import("x");',
    'type A = typeof import("x");',
  ])("reads %j", (text) => {
    expect(importsOf("f", text).map(({ specifier }) => specifier)).toEqual(["x"]);
  });
});
