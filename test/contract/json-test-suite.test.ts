import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { expectFault } from "../harness/error-answers.ts";
import { type Answer, toAnswer } from "../harness/http.ts";
import { sharedLatchkey } from "../harness/latchkey.ts";

/** github.com/nst/JSONTestSuite, if it lies beside this project; its SOURCE.txt lists its files. */
const SUITE = fileURLToPath(new URL("../../../shared/vectors/jsontestsuite/", import.meta.url));

interface Vector {
  readonly name: string;
  readonly body: Uint8Array<ArrayBuffer>;
  /** Statuses that a body like this may be answered with by list-threads, which accepts any JSON object. */
  readonly statuses: readonly number[];
}

/** A few vectors of our own, for where the suite is not at hand. */
const OWN: readonly Vector[] = [
  vector("an empty object", Buffer.from("{}"), [200]),
  vector("an object of anything", Buffer.from('{"a":[1e3,null,{"b":"\\u00e9"}],"c":2,"":true}'), [200]),
  vector("an object with a member twice", Buffer.from('{"a":1,"a":2}'), [200, 400]),
  vector("an object with white space around it", Buffer.from(" \t\r\n{ } \n"), [200]),
  vector("an array", Buffer.from("[]"), [400]),
  vector("a trailing comma", Buffer.from('{"a":1,}'), [400]),
  vector("a single quote", Buffer.from("{'a':1}"), [400]),
  vector("a NUL", Buffer.from([0]), [400]),
  vector("a form feed", Buffer.from("{}\f"), [400]),
  vector("a no-break space", Buffer.from("{}\u00a0"), [400]),
  vector("invalid UTF-8", Buffer.from([0x7b, 0xff, 0x7d]), [400]),
];

const latchkey = await sharedLatchkey();

function vector(name: string, body: Uint8Array, statuses: readonly number[]): Vector {
  return { name, body: new Uint8Array(body), statuses };
}

/**
 * `service_expected.json` gives for each file `400` or, for objects, `200-or-400…`. Here an object that every parser
 * must take is 200; only where a member occurs twice, both will do.
 */
function parsingVectors(): Vector[] {
  const expected: { file: string; class: string; top: string | null; expected_status: string }[] = JSON.parse(
    readFileSync(join(SUITE, "service_expected.json"), "utf8"),
  );
  return expected.map(({ file, class: kind, top, expected_status }) => {
    const body = readFileSync(join(SUITE, "test_parsing", file));
    if (expected_status === "400") return vector(file, body, [400]);
    const isPlain = kind === "y" && top === "object" && !file.includes("duplicated");
    return vector(file, body, isPlain ? [200] : [200, 400]);
  });
}

/** JSON that parsers understand differently: any answer will do that is no fault of ours. */
function transformVectors(): Vector[] {
  const folder = join(SUITE, "test_transform");
  return readdirSync(folder).map((file) => vector(file, readFileSync(join(folder, file)), [200, 400]));
}

async function send(path: string, body: Uint8Array<ArrayBuffer>, headers: Record<string, string>): Promise<Answer> {
  const init = { method: "POST", headers: { "content-type": "application/json", ...headers }, body };
  return toAnswer(await fetch(latchkey.url + path, init));
}

/** Asks the one RPC that takes any object, and one that takes only its own members. */
async function check({ body, statuses }: Vector): Promise<void> {
  const headers = await latchkey.dashboard();
  const lenient = await send("/api/v1/llm/gateway/list-threads", body, headers);
  expect(statuses).toContain(lenient.status);
  if (lenient.status !== 200) expectFault(lenient, 400, "invalid_argument");
  const strict = await send("/api/v1/api-keys/list", body, headers);
  if (lenient.status !== 200 || strict.status !== 200) expectFault(strict, 400, "invalid_argument");
}

describe("our own vectors", () => {
  test.each(OWN)("$name", check);
});

if (existsSync(SUITE)) {
  describe("JSONTestSuite, parsing", () => {
    test.each(parsingVectors())("$name", check);

    test("is complete", () => {
      const files = readdirSync(join(SUITE, "test_parsing"));
      expect(
        parsingVectors()
          .map(({ name }) => name)
          .sort(),
      ).toEqual(files.sort());
    });
  });

  describe("JSONTestSuite, transforms", () => {
    test.each(transformVectors())("$name", check);
  });
}
