import type { Command } from "commander";
import type { IssuedKey } from "../../../clients/typescript/src/index.ts";
import { ISSUED_KEY } from "../columns/keys.ts";
import type { Invocation } from "../command.ts";
import { ONCE } from "./new-key.ts";

/** The caller's own name for a call that makes a key, by which it can be made again. */
export interface RequestIdOption {
  readonly clientRequestId?: string;
}

export function withRequestId(command: Command): Command {
  return command.option(
    "--client-request-id <text>",
    "your own name for the call: made again within 24 h, it makes no second key",
  );
}

export function requestIdOf({ clientRequestId }: RequestIdOption) {
  return clientRequestId === undefined ? {} : { clientRequestId };
}

/** Prints a new key. A repeated call has no value to print: an empty line could be stored as the key. */
export function issue(run: Invocation<unknown>, response: object, result: IssuedKey): void {
  if (result.alreadyCreated && !run.options.json) {
    throw new Error(
      `An earlier call with this --client-request-id has made ${result.keyId}, whose value cannot be shown again. If it is lost, revoke the key and create another.`,
    );
  }
  run.secret(response, result.key, result, ISSUED_KEY, ONCE);
}
