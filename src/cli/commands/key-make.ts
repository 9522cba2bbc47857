import type { Command } from "commander";
import { type MadeKey, makeKey } from "../../../clients/typescript/src/index.ts";
import { addCommand, type Surroundings } from "../command.ts";
import { UsageError } from "../exit-status.ts";
import type { Column } from "../output/column.ts";
import { groupOf } from "./groups.ts";

const MADE_KEY: readonly Column<MadeKey>[] = [
  { name: "secret_hash", text: ({ secretHash }) => secretHash },
  { name: "key_prefix", text: ({ keyPrefix }) => keyPrefix },
];

const ADVICE = "Nothing is stored, and no service was called: create the key by its secret_hash and key_prefix.";

/** `latchkey keys make`: a key that the service never has. */
export function addKeyMake(program: Command, around: Surroundings): void {
  const description = "make a secret key on this machine; stdout has its value, and the service gets only its hash";
  addCommand<{ brand?: string }>(groupOf(program, ["keys"]), "make", description, around, async (run) => {
    const made = await makeKey(run.options.brand === undefined ? {} : { brand: run.options.brand }).catch(refused);
    const { key, secretHash, keyPrefix } = made;
    run.secret({ key, secret_hash: secretHash, key_prefix: keyPrefix }, key, made, MADE_KEY, ADVICE);
  }).option("--brand <text>", "your platform's name in the key, as in the service's KEY_BRAND (default: none)");
}

function refused(err: unknown): never {
  throw err instanceof TypeError ? new UsageError(err.message) : err;
}
