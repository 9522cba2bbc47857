import type { DescField, DescMessage, Message } from "@bufbuild/protobuf";
import type { Invocation } from "../command.ts";
import type { Column } from "../output/column.ts";
import { columnsOf, tenantColumnsOf } from "./columns.ts";
import { isSecret } from "./member-options.ts";
import { factsOf, type Rpc } from "./services.ts";

/** A run of a command that calls an RPC. */
export type RpcRun = Invocation<Readonly<Record<string, unknown>>>;

/** Prints a response: its list, its secret, its result, or that the call is done. `advice` says what to do with the secret. */
export function present(run: RpcRun, rpc: Rpc, response: Message, advice = ""): void {
  const { output, name } = rpc.method;
  const warning: string | undefined = Reflect.get(response, "warning");
  if (warning !== undefined) run.note(`Warning: ${warning}`);
  const list = output.fields.find(({ fieldKind, message }) => fieldKind === "list" && message !== undefined);
  const result = output.fields.find((field) => field.name === "result")?.message;
  if (list?.message !== undefined) {
    const rows: Message[] = Reflect.get(response, list.localName);
    run.list(response, rows, columnsFor(rpc, list.message), Reflect.get(response, "pagination"));
    noteNextPage(run, response);
  } else if (result !== undefined)
    presentResult(run, response, { output, result, columns: columnsFor(rpc, result), advice });
  else if (output.fields.length > 0) run.item(response, response, columnsOf(output));
  else run.show(response, `${pastOf(name)} ${run.args.join(" ")}.`);
}

interface Shown {
  readonly output: DescMessage;
  readonly result: DescMessage;
  readonly columns: readonly Column<Message>[];
  readonly advice: string;
}

function presentResult(run: RpcRun, response: Message, { output, result, columns, advice }: Shown): void {
  const row: Message | undefined = Reflect.get(response, "result");
  const secret = secretOf(output);
  if (row === undefined || secret === undefined) {
    run.item(response, row, columns);
    return;
  }
  const holder = secret.parent === output ? response : row;
  if (Reflect.get(holder, "alreadyCreated") === true && !run.options.json) throw repetition(row, result, secret);
  const value: string = Reflect.get(holder, secret.localName);
  // Of a key that the caller made: an empty line could be stored in its place.
  if (value === "") {
    run.item(response, row, columns);
    return;
  }
  const once = `This is the only time that the ${secret.name} is shown.`;
  run.secret(response, value, row, columns, `${once} ${advice}`.trim());
}

/** The secret that a call hands over, in its response or in the result. */
export function secretOf({ fields }: DescMessage): DescField | undefined {
  return [...fields, ...fields.flatMap(({ message, name }) => (name === "result" ? (message?.fields ?? []) : []))].find(
    isSecret,
  );
}

/** With `--json` the response has it, and a list with numbered pages says which one it is. */
export function noteNextPage(run: RpcRun, response: Message): void {
  const token: string | undefined = Reflect.get(response, "nextPageToken");
  if (token && !run.options.json && !Reflect.has(response, "pagination")) run.note(`More: add --page-token ${token}`);
}

/** The operator sees the tenant of each row, unless it is the one that was named. */
function columnsFor({ method, kind }: Rpc, desc: DescMessage): readonly Column<Message>[] {
  const isOfOne = factsOf(`${method.input.name}.tenant_id`).required === true;
  return kind === "operator" && !isOfOne ? tenantColumnsOf(desc) : columnsOf(desc);
}

/** `DeleteWebhook` as `Deleted`. */
function pastOf(name: string): string {
  const [verb = ""] = /^[A-Z][a-z]+/.exec(name) ?? [];
  return `${verb}${verb.endsWith("e") ? "d" : "ed"}`;
}

/** A repeated call has no secret to print: an empty line could be stored in its place. */
function repetition(row: Message, { fields }: DescMessage, secret: DescField): Error {
  const id = fields.find(({ name }) => name.endsWith("_id"));
  const made = `${id === undefined ? "it" : Reflect.get(row, id.localName)}, whose ${secret.name} cannot be shown again`;
  return new Error(
    `An earlier call with this --client-request-id has made ${made}. If it is lost, make another ${secret.name}.`,
  );
}
