import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { create, type DescFile, toBinary } from "@bufbuild/protobuf";
import { type FileDescriptorProto, FileDescriptorSetSchema } from "@bufbuild/protobuf/wkt";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { MethodPolicy } from "../../clients/typescript/src/policy/method-policy.ts";
import { widening } from "../../clients/typescript/src/policy/widening.ts";
import { Caller } from "../../gen/latchkey/v1/policy_pb.ts";
import { anyGrants } from "../../src/domain/access/scopes.ts";
import { compile } from "../openapi/compile.ts";

/** A caller as a policy sees one. */
interface Credential {
  readonly kind: Caller;
  readonly hasTenant: boolean;
  /** Whether a token is sent in place of the key. */
  readonly isToken: boolean;
  readonly held: readonly string[];
}

const SCOPES = ["a:read", "a:write", "b:read"];
const HELD = ["*", "a:*", "b:*", ...SCOPES];
const KINDS = [Caller.DASHBOARD_USER, Caller.SECRET_KEY, Caller.PUBLISHABLE_KEY, Caller.OPERATOR, Caller.ANYONE];

/** Every caller that there is, in a world of three scopes. */
const CREDENTIALS: readonly Credential[] = KINDS.flatMap((kind) =>
  // A second one of a kind: a user without a tenant, or a token that stands for a secret key.
  [true, false].flatMap((isPlain) =>
    Array.from({ length: 2 ** HELD.length }, (_, bits) => ({
      kind,
      hasTenant: isPlain || kind !== Caller.DASHBOARD_USER,
      isToken: !isPlain && kind === Caller.SECRET_KEY,
      held: HELD.filter((_scope, n) => bits & (2 ** n)),
    })),
  ),
);

/** The rules of the gate, as few lines as they can be. */
function admits({ callers, scope, userScope, tenantOptional, tokens }: MethodPolicy, one: Credential): boolean {
  if (callers.includes(Caller.ANYONE)) return true;
  if (!callers.includes(one.kind) || one.kind === Caller.ANYONE) return false;
  if (one.isToken && !tokens) return false;
  if (one.kind === Caller.OPERATOR) return true;
  const needed = one.kind === Caller.DASHBOARD_USER ? userScope : scope;
  return (needed === "" || anyGrants(one.held, needed)) && (one.hasTenant || tenantOptional);
}

const policies: fc.Arbitrary<MethodPolicy> = fc.record({
  callers: fc.oneof(
    { arbitrary: fc.subarray<Caller>(KINDS.slice(0, 4), { minLength: 1 }), weight: 9 },
    { arbitrary: fc.constant<Caller[]>([Caller.ANYONE]), weight: 1 },
  ),
  scope: fc.constantFrom("", ...SCOPES),
  userScope: fc.constantFrom("", "a:*", "b:*", ...SCOPES),
  tenantOptional: fc.boolean(),
  tokens: fc.boolean(),
});

test("a policy is wider exactly if it admits a caller that the former one refuses", () => {
  fc.assert(
    fc.property(policies, policies, (former, current) => {
      const admitted = CREDENTIALS.find((one) => admits(current, one) && !admits(former, one));
      expect(widening(former, current).length > 0, JSON.stringify(admitted)).toBe(admitted !== undefined);
    }),
    { numRuns: 2_000 },
  );
});

const BASE = { callers: [Caller.SECRET_KEY], scope: "a:read", userScope: "", tenantOptional: false, tokens: false };
const BOTH = { ...BASE, callers: [Caller.SECRET_KEY, Caller.DASHBOARD_USER], userScope: "a:read" };

test.each<[former: MethodPolicy, current: MethodPolicy, found: string[]]>([
  [BASE, { ...BASE, callers: [Caller.ANYONE], scope: "" }, ["admits anyone now"]],
  [BASE, { ...BOTH, userScope: "" }, ["admits dashboard users now"]],
  [BASE, { ...BASE, scope: "" }, ["asks API keys for no scope any more; it was a:read"]],
  [BASE, { ...BASE, scope: "b:read" }, ["asks API keys for b:read in place of a:read"]],
  [BOTH, { ...BOTH, userScope: "" }, ["asks dashboard users for no scope any more; it was a:read"]],
  [{ ...BOTH, userScope: "a:*" }, BOTH, ["asks dashboard users for a:read in place of a:*"]],
  [BOTH, { ...BOTH, userScope: "a:*" }, []],
  [BASE, { ...BASE, tokens: true }, ["admits tokens of secret keys now"]],
  [{ ...BASE, tokens: true }, BASE, []],
  [BOTH, { ...BOTH, tenantOptional: true }, ["admits dashboard users without a tenant now"]],
  [BOTH, BASE, []],
])("from %j to %j: %j", (former, current, found) => {
  expect(widening(former, current)).toEqual(found);
});

describe("the command latchkey-policy", () => {
  let directory: string;
  const COMMAND = fileURLToPath(new URL("../../clients/typescript/src/server/latchkey-policy.ts", import.meta.url));
  const run = promisify(execFile);

  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), "latchkey-policy-"));
    const rpc = (name: string, policy: string) =>
      `rpc ${name}(M) returns (M) { ${policy === "" ? "" : `option (latchkey.v1.policy) = { ${policy} };`} }\n`;
    const keys = 'callers: [CALLER_SECRET_KEY] scope: "plans:read"';
    const image = async (name: string, ...rpcs: string[]) => {
      const file = await compile(`message M {}\nservice Plans { ${rpcs.join("")} }`);
      const set = create(FileDescriptorSetSchema, { file: protosOf(file) });
      await writeFile(join(directory, name), toBinary(FileDescriptorSetSchema, set));
    };
    await image("former", rpc("Get", keys), rpc("Old", keys), rpc("Bare", ""));
    await image("same", rpc("Get", keys), rpc("New", "callers: [CALLER_ANYONE]"), rpc("Bare", keys));
    await image("wider", rpc("Get", "callers: [CALLER_SECRET_KEY]"), rpc("Old", ""));
    await writeFile(join(directory, "text"), "no image");
    await writeFile(join(directory, "empty"), "");
  });

  afterAll(() => rm(directory, { recursive: true }));

  const outcome = (...args: string[]) =>
    run(process.execPath, [COMMAND, ...args], { cwd: directory }).then(
      ({ stderr }) => [0, stderr],
      ({ code, stderr }) => [code, stderr],
    );

  test("accepts new, removed and newly guarded RPCs", async () => {
    expect(await outcome("--against", "former", "same")).toEqual([0, ""]);
  });

  test("fails with each wider policy, and with one that is gone", async () => {
    expect(await outcome("--against", "former", "wider")).toEqual([
      1,
      `Policies became wider:
  small.v1.Plans/Get asks API keys for no scope any more; it was plans:read
  small.v1.Plans/Old has no policy any more
If this is meant, build the baseline again and have its change reviewed.
`,
    ]);
  });

  test("says what is wrong with its arguments, with another status", async () => {
    for (const [args, message] of [
      [[], "usage: latchkey-policy --against"],
      [["former"], "usage: latchkey-policy --against"],
      [["--against", "former", "same", "wider"], "usage: latchkey-policy --against"],
      [["--againts", "former", "same"], "Unknown option '--againts'"],
      [["--against", "missing", "same"], "no such file or directory, open 'missing'"],
      [["--against", "former", "empty"], "empty is empty"],
      [["--against", "text", "same"], "text is not an image of buf"],
    ] as const) {
      const [code, stderr] = await outcome(...args);
      expect([code, stderr]).toEqual([2, expect.stringContaining(message)]);
    }
  });
});

/** A file's descriptor after those that it imports. */
function protosOf(file: DescFile, seen = new Set<string>()): FileDescriptorProto[] {
  if (seen.has(file.proto.name)) return [];
  seen.add(file.proto.name);
  return [...file.dependencies.flatMap((one) => protosOf(one, seen)), file.proto];
}
