import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import { succeed } from "../cli/command-line.ts";
import { canRun, ensureInstalled } from "../servers/debian.ts";

const run = promisify(execFile);

let dir: string;
let script: string;
beforeAll(async () => {
  await ensureInstalled({
    package: "zsh",
    isInstalled: () => canRun("zsh", "--version"),
    advice: "This test needs zsh: install it.",
  });
  dir = await mkdtemp(join(tmpdir(), "latchkey-zsh-"));
  script = join(dir, "completion.zsh");
  await writeFile(script, (await succeed(["completion", "zsh"])).stdout);
});
afterAll(() => rm(dir, { recursive: true, force: true }));

/** The line after Tab was pressed behind it, in an interactive zsh on a terminal of its own. */
async function completed(line: string): Promise<string> {
  const session = `
    zmodload zsh/zpty
    zpty shell zsh -f -i
    zpty -w shell 'PS1=; PROMPT=; unsetopt zle_bracketed_paste; autoload -Uz compinit; compinit -u -D'
    zpty -w shell "source $1"
    zpty -w shell 'show() { print -r -- "<<$BUFFER>>"; BUFFER=; zle accept-line }; zle -N show; bindkey "^X" show'
    zpty -w shell 'print -r -- re""ady'
    zpty -r shell output '*ready*'
    zpty -w -n shell "$2"$'\\t'$'\\x18'
    zpty -r shell output '*>>*'
    print -r -- "$output"
    zpty -d shell`;
  const { stdout } = await run("zsh", ["-f", "-c", session, "zsh", script, line], { timeout: 60_000 });
  return /<<(.*)>>/s.exec(stdout)?.[1] ?? stdout;
}

test("zsh accepts the script, and completes commands, groups, options and values", async () => {
  expect(await completed("latchkey ke")).toBe("latchkey keys ");
  expect(await completed("latchkey keys rot")).toBe("latchkey keys rotate ");
  expect(await completed("latchkey --json operator ten")).toBe("latchkey --json operator tenants ");
  expect(await completed("latchkey keys create --rate")).toBe("latchkey keys create --rate-limit ");
  expect(await completed("latchkey keys list --status rev")).toBe("latchkey keys list --status revoked ");
});
