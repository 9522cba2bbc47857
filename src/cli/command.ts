import type { Command } from "commander";
import type { LatchkeyClient } from "../../clients/typescript/src/index.ts";
import type { Environment } from "../config/environment.ts";
import { type CallerKind, type ConnectionOptions, connect } from "./connection.ts";
import type { Column } from "./output/column.ts";
import { printable, printableJson, printableLines } from "./output/printable.ts";
import { record, table } from "./output/table.ts";
import type { Terminal } from "./output/terminal.ts";

/** The parts of the process that commands use. */
export interface Surroundings {
  readonly env: Environment;
  readonly terminal: Terminal;
}

interface OutputOptions {
  readonly json?: true;
  readonly quiet?: true;
}

/** A response, which `JSON.stringify` makes the JSON of the HTTP API. */
type Response = object;

interface Page {
  readonly total: number;
  readonly page: number;
  readonly totalPages: number;
}

/** One run of a command. */
export interface Invocation<Options> {
  /** The arguments, in their order. */
  readonly args: readonly string[];
  readonly options: Options & ConnectionOptions & OutputOptions;
  readonly env: Environment;
  /** Connects with the credentials that suit the command. */
  client(kind: CallerKind): Promise<LatchkeyClient>;
  /** Prints a list as a table, or with `--json` the response as the API has it. */
  list<Row>(response: Response, rows: readonly Row[], columns: readonly Column<Row>[], page?: Page): void;
  /** Prints one item, a line for each field. */
  item<Row>(response: Response, row: Row | undefined, columns: readonly Column<Row>[]): void;
  /** Prints only the secret to stdout, for `| pbcopy` and `$(…)`, and its description as notes. */
  secret<Row>(response: Response, secret: string, row: Row, columns: readonly Column<Row>[], advice: string): void;
  /** Prints a text, or with `--json` the response as the API has it. */
  show(response: Response, text: string): void;
  /** A line for people, on stderr. */
  note(text: string): void;
  /** How far a long command is: a line on a terminal that the next one replaces, and an empty one removes. */
  progress(text: string): void;
}

/**
 * Adds a command. `usage` is its name and its arguments: `get <key_id>`. Returns it, to add options. The options of
 * `Options` are those that are added, as commander names them.
 */
export function addCommand<Options>(
  parent: Command,
  usage: string,
  description: string,
  { env, terminal }: Surroundings,
  act: (invocation: Invocation<Options>) => Promise<void>,
): Command {
  const command = parent.command(usage).description(description);
  command.action(async () => {
    const options = command.optsWithGlobals<Options & ConnectionOptions & OutputOptions>();
    const note = (text: string): void => {
      if (!options.quiet) terminal.note(`${printable(text)}\n`);
    };
    const asJson = (response: Response): void => terminal.out(`${printableJson(response)}\n`);
    await act({
      args: command.args,
      options,
      env,
      note,
      progress: (text) => void (options.quiet || terminal.progress(text)),
      // With --json an error is one line, which has no place for it.
      client: (kind) => connect(kind, env, options, note, (text) => void (options.json || note(text))),
      list(response, rows, columns, page) {
        if (options.json) return asJson(response);
        if (rows.length > 0) terminal.out(table(rows, columns, terminal.outLayout));
        if (rows.length === 0) note("None.");
        if (page !== undefined && page.totalPages > 1)
          note(`Page ${page.page} of ${page.totalPages}, ${page.total} in all.`);
      },
      item(response, row, columns) {
        if (options.json) return asJson(response);
        if (row !== undefined) terminal.out(record(row, columns, terminal.outLayout));
      },
      show(response, text) {
        if (options.json) return asJson(response);
        terminal.out(`${printableLines(text)}\n`);
      },
      secret(response, secret, row, columns, advice) {
        if (options.json) return asJson(response);
        if (!options.quiet) terminal.note(record(row, columns, terminal.noteLayout));
        note(advice);
        terminal.out(`${printable(secret)}\n`);
      },
    });
  });
  return command;
}

/** A group of commands, such as `keys`. */
export function addGroup(parent: Command, name: string, description: string): Command {
  return parent.command(name).description(description);
}
