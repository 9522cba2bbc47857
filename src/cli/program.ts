import { Command } from "commander";
import packageJson from "../../package.json" with { type: "json" };
import type { Surroundings } from "./command.ts";
import { addAccess } from "./commands/access.ts";
import { addCompletion } from "./commands/completion.ts";
import { addDev } from "./commands/dev.ts";
import { addDoctor } from "./commands/doctor.ts";
import { addFederation } from "./commands/federation.ts";
import { addGroups } from "./commands/groups.ts";
import { addKeyCompare } from "./commands/key-compare.ts";
import { addKeyExport } from "./commands/key-export.ts";
import { addKeyImport } from "./commands/key-import.ts";
import { addKeyMake } from "./commands/key-make.ts";
import { addLost } from "./commands/lost.ts";
import { addPrivileges } from "./commands/privileges.ts";
import { addProcesses } from "./commands/process.ts";
import { addRedeliver } from "./commands/redeliver.ts";
import { addRevokeSince } from "./commands/revoke-since.ts";
import { addListen } from "./commands/webhook-listen.ts";
import { refuseEmptyValues } from "./input/empty-value.ts";
import { wholeNumber } from "./input/whole-number.ts";
import { printableLines } from "./output/printable.ts";
import { withoutArguments } from "./output/without-secrets.ts";
import { addRpcs } from "./rpc/add-rpcs.ts";

const TIMEOUT_S_MAX = 3_600;

const EPILOGUE = `
Credentials come from the environment or from files, never from arguments, which all users of a machine can read:
  LATCHKEY_TOKEN           a dashboard user's token
  LATCHKEY_KEY             an API key; a publishable one with LATCHKEY_TOKEN
  LATCHKEY_OPERATOR_TOKEN  the operator's token; OPERATOR_TOKEN is read, too
Each of them with _FILE names a file that has it. LATCHKEY_URL names the service (default: http://127.0.0.1:8080).

Exit status: 0 done; 1 rejected or failed, or a problem was found; 2 wrong usage; 3 not reachable or not now.
`;

/** The whole command line. Each process makes its own; nothing runs before `parseAsync`. */
export function createProgram(around: Surroundings): Command {
  const program = new Command("latchkey")
    .description("Run Latchkey, and manage its keys, organizations and tenants.")
    .version(packageJson.version)
    .option("--url <url>", "service to call (default: LATCHKEY_URL)")
    .option("--token-file <path>", "file with a dashboard user's token, `-` for stdin")
    .option("--key-file <path>", "file with an API key, `-` for stdin")
    .option("--operator-token-file <path>", "file with the operator's token, `-` for stdin")
    .option("--timeout <seconds>", "longest time for a call (default: 30)", wholeNumber(1, TIMEOUT_S_MAX))
    .option("--json", "print responses as the API's JSON")
    .option("--quiet", "print no notes to stderr, only errors")
    .configureHelp({ showGlobalOptions: true })
    .addHelpText("after", EPILOGUE)
    // Of the errors of commander, which repeat arguments as they are.
    .configureOutput({ outputError: (text, write) => write(printableLines(withoutArguments(text))) })
    .exitOverride()
    .hook("preAction", (_, command) => refuseEmptyValues(command));
  addProcesses(program);
  addDev(program);
  addDoctor(program, around);
  addGroups(program);
  addRpcs(program, around);
  for (const add of [addFederation, addLost, addRedeliver, addRevokeSince, addListen, addAccess, addKeyMake])
    add(program, around);
  for (const add of [addKeyImport, addKeyExport, addKeyCompare]) add(program, around);
  addPrivileges(program, around);
  addCompletion(program, around.terminal);
  return program;
}
