import { fromJsonString } from "@bufbuild/protobuf";
import { Code, ConnectError } from "@connectrpc/connect";
import { fieldOf, reasonOf } from "../../../clients/typescript/src/error-reason.ts";
import { ImportedRowSchema, type ImportResult, type LatchkeyClient } from "../../../clients/typescript/src/index.ts";
import { repeated } from "../repeated-call.ts";
import type { ImportRow } from "./import-row.ts";
import type { Refusal } from "./refused-row.ts";

/** What became of a row. */
export type Outcome = "created" | "exists" | Refusal;

/** Sends the rows of a page, and resolves with their outcomes in the same order. */
export type SendRows = (rows: readonly ImportRow[], signal: AbortSignal) => Promise<readonly Outcome[]>;

interface SendOptions {
  readonly isOperator: boolean;
  readonly isDryRun: boolean;
}

/**
 * Calls the service. A call whose answer was lost is made again. A request that is refused as a whole, because of one row, is halved
 * until that row is found, so that the others are imported.
 */
export function rowSender(
  { apiKeys, operator }: LatchkeyClient,
  { isOperator, isDryRun: dryRun }: SendOptions,
): SendRows {
  const send: SendRows = async (rows, signal) => {
    if (rows.length === 0) return [];
    try {
      const keys = rows.map(messageOf);
      const { results } = await repeated<{ results: readonly ImportResult[] }>(
        () => (isOperator ? operator.importTenantKeys({ keys, dryRun }) : apiKeys.importApiKeys({ keys, dryRun })),
        signal,
      );
      return results.map(outcomeOf);
    } catch (err) {
      if (!isOfRow(err)) throw err;
      if (rows.length === 1) return [refusalOf(err)];
      const middle = Math.ceil(rows.length / 2);
      return [...(await send(rows.slice(0, middle), signal)), ...(await send(rows.slice(middle), signal))];
    }
  };
  return send;
}

/** Without the empty lists that the client refuses, because an empty filter would filter nothing. */
function messageOf(row: ImportRow) {
  const { $typeName: _, allowedIps, allowedOrigins, ...members } = parsed(JSON.stringify(row));
  const lists = { ...(allowedIps.length > 0 && { allowedIps }), ...(allowedOrigins.length > 0 && { allowedOrigins }) };
  return { ...members, ...lists };
}

function parsed(json: string) {
  try {
    return fromJsonString(ImportedRowSchema, json);
  } catch (err) {
    throw new ConnectError("has a number or a text that no request can have", Code.InvalidArgument, {}, [], err);
  }
}

function outcomeOf({ status, reason, field, message }: ImportResult): Outcome {
  if (status === "CREATED") return "created";
  if (status === "EXISTS") return "exists";
  return { ...(reason && { reason }), ...(field && { field }), message: message ?? "" };
}

function isOfRow(err: unknown): err is ConnectError {
  if (!(err instanceof ConnectError)) return false;
  return err.code === Code.InvalidArgument || reasonOf(err) === "body_too_large";
}

function refusalOf(err: ConnectError): Refusal {
  const reason = reasonOf(err);
  const field = fieldOf(err)?.replace("keys[0].", "");
  return { ...(reason && { reason }), ...(field && { field }), message: err.rawMessage.replaceAll("keys[0].", "") };
}
