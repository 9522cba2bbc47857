import { isDeepStrictEqual } from "node:util";
import { Findings } from "../../../src/cli/import/findings.ts";
import type { ReadRow } from "../../../src/cli/import/read-result.ts";
import { readRows } from "../../../src/cli/import/read-rows.ts";
import { refusedRow } from "../../../src/cli/import/refused-row.ts";
import { SOURCES } from "../../../src/cli/import/sources.ts";
import { optionsFor } from "../../cli/import-reading.ts";
import { pieces } from "../../cli/pieces.ts";
import { INPUT_BYTES_MAX } from "./explore.ts";
import { holds, type Parser } from "./parser.ts";

type From = keyof typeof SOURCES;

const FROM = Object.keys(SOURCES) as From[];
const DIGEST = "1ad9d99b4e8cf23f8de3ededda1b73847c8b5b49f5613cbb79d275f069fffc26";

/** An export of keys. The first byte chooses the source. */
const keyExport: Parser = {
  seeds: [
    `0hash,name,permissions,metadata\r\n${DIGEST},"a ""b""\nc",{a:b},"{""c"":1}"\r\n`,
    `1{"hash":"${DIGEST}","name":"a","permissions":["a:b"]}\n{"key":"acme_0123456789abcdef","expires_at":"2030-01-01T00:00:00+02"}\n`,
    `2{"data":[{"plaintext":"unkey_0123456789abcdef","ratelimits":[{"limit":1,"duration":60000,"autoApply":true}]}],"pagination":{"hasMore":true}}`,
    `3[{"token":"${DIGEST}","expires":"2027-01-01T00:00:00","rpm_limit":60},{"token":"x"}]`,
    `4{"consumers":[{"username":"jack","keyauth_credentials":[{"key":"0123456789abcdef","ttl":60},{"key":""}]}]}`,
    `5[{"key":"acme_n0123456789abcdef","start":"acme_n","permissions":"{\\"a\\":[\\"b\\"]}","enabled":1}]`,
    `6{"keyType":"KEY_TYPE_SECRET","status":"KEY_STATUS_DISABLED","hash":{"algorithm":"SHA256","digest":"${DIGEST}"}}`,
  ],
  words: ['"', "\n", "\r\n", ",", "\\u0000", "\xff", '"key":"', '"hash":', '":[{"', "}\n{", "9007199254740993", "\\N"],
  async parse(bytes) {
    const from = FROM[Number(String.fromCharCode(bytes[0] ?? 0)) || 0] ?? "csv";
    const file = bytes.subarray(1);
    // A longer one is measured: reading it once is its cost.
    if (file.length > INPUT_BYTES_MAX) return readOnly(file, from);
    const read = await readAll(file, from, file.length);
    const few = Math.max(3, Math.ceil(file.length / 64));
    holds(isDeepStrictEqual(await readAll(file, from, few), read), "the pieces of a file do not matter");
    let last = 1;
    for (const { line, row, problem } of read) {
      holds(line >= last, "lines are in their order");
      last = line;
      holds((row === undefined) !== (problem === undefined), "a record is a row or a problem");
      if (row === undefined) continue;
      holds((row.hash === undefined) !== (row.key === undefined), "a row has a digest or a key");
      const [again] = await readAll(Buffer.from(refusedRow(line, { message: "" }, row)), "latchkey", 65_536);
      holds(isDeepStrictEqual(again?.row, row), "a refused row is read again as it was");
    }
  },
};

async function readOnly(file: Uint8Array, from: From): Promise<void> {
  for await (const { line } of readRows(pieces(file), optionsFor(from), new Findings()))
    holds(line > 0, "a line counts from 1");
}

async function readAll(file: Uint8Array, from: From, bytes: number): Promise<readonly ReadRow[]> {
  const read: ReadRow[] = [];
  for await (const each of readRows(pieces(file, Math.max(1, bytes)), optionsFor(from), new Findings()))
    read.push(each);
  return read;
}

/** Files that the command imports. */
export const KEY_EXPORTS: Readonly<Record<string, Parser>> = { "key-export": keyExport };
