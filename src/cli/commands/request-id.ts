import type { Command } from "commander";
import type { IssuedKey } from "../../../clients/typescript/src/index.ts";
import { ISSUED_KEY } from "../columns/keys.ts";
import type { Invocation } from "../command.ts";
import { ONCE } from "./new-key.ts";

/** The caller's own name for a call that makes a secret, by which it can be made again. */
export interface RequestIdOption {
  readonly clientRequestId?: string;
}

export function withRequestId(command: Command): Command {
  return command.option(
    "--client-request-id <text>",
    "your own name for the call: made again within 24 h, it makes no second one",
  );
}

export function requestIdOf({ clientRequestId }: RequestIdOption) {
  return clientRequestId === undefined ? {} : { clientRequestId };
}

/** Prints a new key. */
export function issue(run: Invocation<unknown>, response: object, result: IssuedKey): void {
  refuseRepetition(run, result.alreadyCreated, `${result.keyId}, whose value`, "revoke the key and create another");
  run.secret(response, result.key, result, ISSUED_KEY, ONCE);
}

/** A repeated call has no secret to print: an empty line could be stored in its place. */
export function refuseRepetition(
  run: Invocation<unknown>,
  alreadyCreated: boolean | undefined,
  made: string,
  remedy: string,
): void {
  if (!alreadyCreated || run.options.json) return;
  throw new Error(
    `An earlier call with this --client-request-id has made ${made} cannot be shown again. If it is lost, ${remedy}.`,
  );
}
