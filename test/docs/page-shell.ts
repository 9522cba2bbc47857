import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { killAtExit } from "../servers/kill-at-exit.ts";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));

/** What the commands of a page meet in place of those of the reader's machine. They behave alike, and say what happened. */
const COMMANDS: Readonly<Record<string, string>> = {
  // Writes down the status of each response: curl itself ends with 0 whatever it is.
  curl: `head=$(mktemp "$PAGE_SHELL/head.XXXX")
env PATH="\${PATH#*:}" curl -D "$head" "$@" || exit
status=$(sed -n 's/^HTTP[^ ]* \\([0-9]*\\).*/\\1/p' "$head" | tail -n 1)
printf '%s %s\\n' "$status" "$(printf %s "$*" | tr '\\n' ' ')" >> "$PAGE_SHELL/calls"`,
  // The reader stands in the checkout. Here its packages are elsewhere than the data of \`npm run dev\`.
  npm: `[ "$1 $2 $3" = "run -s dev:token" ] || { echo "npm $*: only dev:token is run here" >&2; exit 1; }
shift 3; [ "$1" = -- ] && shift
exec node '${ROOT}src/dev/token.ts' "$@"`,
  npx: `case "$1" in
latchkey) shift; exec node '${ROOT}scripts/latchkey.mjs' "$@" ;;
*) command=$1; shift; exec '${ROOT}node_modules/.bin/'"$command" "$@" ;;
esac`,
};

/** A shell in which the blocks of a page are pasted one after the other, after the line that `npm run dev` prints. */
export interface PageShell {
  /** Rejects with what was written to stderr if a command fails. */
  paste(commands: string): Promise<Pasted>;
  close(): Promise<void>;
}

export interface Pasted {
  readonly stdout: string;
  /** The calls that the block made, in order. */
  readonly calls: readonly Call[];
}

export interface Call {
  readonly status: number;
  readonly args: string;
}

/** Opens a shell in `cwd`, where `npm run dev` has been started. */
export async function openPageShell(cwd: string): Promise<PageShell> {
  const dir = await mkdtemp(join(tmpdir(), "latchkey-page-"));
  for (const [name, script] of Object.entries(COMMANDS))
    await writeFile(join(dir, name), `#!/usr/bin/env bash\n${script}\n`, { mode: 0o755 });
  const { PATH = "" } = process.env;
  const env = {
    PATH: [dir, dirname(process.execPath), PATH].join(delimiter),
    HOME: dir,
    PAGE_SHELL: dir,
  };
  // A variable that nothing sets, and a command that fails, end it.
  const shell = spawn("bash", ["--norc", "-eu"], { cwd, env, stdio: ["pipe", "pipe", "inherit"] });
  killAtExit(shell, () => shell.kill("SIGKILL"));
  const ended = once(shell, "close");
  let count = 0;

  const read = (name: string): Promise<string> => readFile(join(dir, name), "utf8").catch(() => "");
  async function paste(commands: string): Promise<Pasted> {
    const [block, out, err] = ["block", "out", "err"].map((name) => join(dir, `${name}-${count}`));
    count++;
    await Promise.all([writeFile(`${block}`, commands), writeFile(join(dir, "calls"), "")]);
    shell.stdin.write(`. '${block}' > '${out}' 2> '${err}' < /dev/null\necho done\n`);
    const isDone = await Promise.race([once(shell.stdout, "data").then(() => true), ended.then(() => false)]);
    if (!isDone) throw new Error(`the shell ended:\n${commands}\n${await readFile(`${err}`, "utf8")}`);
    const calls = (await read("calls")).split("\n").slice(0, -1);
    return { stdout: await readFile(`${out}`, "utf8"), calls: calls.map(toCall) };
  }

  await paste(". .latchkey/dev/env.sh\n");
  return {
    paste,
    async close() {
      await end(shell);
      await rm(dir, { recursive: true, force: true });
    },
  };
}

function toCall(line: string): Call {
  const [, status, args = ""] = /^(\d+) (.*)$/.exec(line) ?? [];
  return { status: Number(status), args };
}

async function end(shell: ChildProcess): Promise<void> {
  if (shell.exitCode !== null || shell.signalCode !== null) return;
  const ended = once(shell, "close");
  shell.stdin?.end();
  await ended;
}
