import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { mutateBytes } from "../mutate.ts";
import type { Random } from "../random.ts";
import type { Json, JsonMembers } from "./messages.ts";

/** A folder with github.com/nst/JSONTestSuite in `jsontestsuite`, where it is at hand. The project has no copy of it. */
const VECTORS = process.env.TEST_VECTORS ?? fileURLToPath(new URL("../../../../shared/vectors", import.meta.url));
const FOLDERS = ["test_parsing", "test_transform"].map((folder) => join(VECTORS, "jsontestsuite", folder));

/** A few texts that parsers understand differently, for where the suite is not at hand. */
const OWN = [
  ...["", " ", "{", "[]", "null", '"a"', "{}{}", '{"a":1,}', '{"a":1,"a":2}', "{'a':1}", '{"a":NaN}', '{"a":1e999}'],
  ...["\ufeff{}", '{"a":"\\ud800"}', '{"\\u0000":1}', '{"__proto__":{"a":1}}', "[".repeat(2_000), '{"a":'.repeat(500)],
];

/** Each file of JSONTestSuite and our own texts. */
export const JSON_VECTORS: readonly Buffer[] = [
  ...OWN.map((text) => Buffer.from(text)),
  ...FOLDERS.filter(existsSync).flatMap((folder) =>
    readdirSync(folder)
      .toSorted()
      .map((file) => readFileSync(join(folder, file))),
  ),
];
export const HAS_JSON_TEST_SUITE = JSON_VECTORS.length > OWN.length;

const ODD_VALUES: readonly Json[] = [
  ...[
    null,
    true,
    0,
    -1,
    0.5,
    1e300,
    2 ** 53,
    "",
    " ",
    "0",
    "0x10",
    "null",
    "\0",
    "\ud800",
    "\u200b",
    "a".repeat(70_000),
  ],
  ...[[], {}, [[]], [null], { a: { b: {} } }, "2026-02-30T00:00:00Z", "key_x", "*", "conversations:*", "$x", "<x>"],
];

/** A valid request after one to three changes of its tree: odd values, unknown members, members that are gone. */
export function mutateTree(message: JsonMembers, random: Random): Json {
  let changed: Json = message;
  for (let step = random.below(3); step >= 0; step--) changed = mutateNode(changed, random);
  return changed;
}

function mutateNode(node: Json, random: Random): Json {
  if (node === null || typeof node !== "object" || random.chance(0.1)) return random.pick(ODD_VALUES);
  if (Array.isArray(node)) {
    const items: readonly Json[] = node;
    if (items.length === 0 || random.chance(0.2)) return [...items, ...items, random.pick(ODD_VALUES)];
    const at = random.below(items.length);
    return items.map((item, index) => (index === at ? mutateNode(item, random) : item));
  }
  const entries = Object.entries(node);
  if (entries.length === 0 || random.chance(0.2))
    return {
      ...node,
      [random.pick(["unknown", "", "__proto__x", "key_id", "a.b", "\u00e9"])]: random.pick(ODD_VALUES),
    };
  const [name] = random.pick(entries);
  if (random.chance(0.15)) return Object.fromEntries(entries.filter(([each]) => each !== name));
  return Object.fromEntries(entries.map(([each, item]) => [each, each === name ? mutateNode(item, random) : item]));
}

/** A text of the suite in place of a member's value. */
export function withVector(message: JsonMembers, random: Random): Buffer {
  const name = random.pick([...Object.keys(message), "unknown"]);
  const { [name]: _replaced, ...others } = message;
  const rest = JSON.stringify(others).slice(1);
  return Buffer.concat([
    Buffer.from(`{${JSON.stringify(name)}:`),
    random.pick(JSON_VECTORS),
    Buffer.from(rest === "}" ? rest : `,${rest}`),
  ]);
}

/** Bytes of a body after changes that know nothing of its format. */
export function mutateBody(body: Buffer, random: Random): Buffer {
  return mutateBytes(body, random, [], random.pick(JSON_VECTORS), 100_000);
}
