import { execFile } from "node:child_process";
import { createServer } from "node:http";
import { promisify } from "node:util";
import { type Language, snippetOf } from "../../console/src/keys/snippets.ts";
import { newEmployer } from "../harness/federation.ts";
import type { LatchkeyOptions } from "../harness/latchkey.ts";
import { bearer, startPublishable } from "../harness/publishable.ts";
import { canRun } from "../servers/debian.ts";
import { closeAll, listenOnLoopback } from "../servers/loopback.ts";

/** A running service, and credentials of one tenant for each of the three kinds of caller. */
export interface Callers {
  readonly url: string;
  /** A secret key with `conversations:*`. */
  readonly key: string;
  /** A dashboard user's token. */
  readonly token: string;
  readonly publishableKey: string;
  /** Token of a user of the publishable key. */
  readonly userToken: string;
  /** All of it, as the programs of other languages read it. */
  readonly env: Record<string, string>;
  close(): Promise<void>;
}

export async function startCallers(config: LatchkeyOptions["config"] = {}): Promise<Callers> {
  const service = await startPublishable(config);
  const { latchkey, keyHost, newApp } = service;
  const app = await newApp();
  const token = await latchkey.dashboardToken({ tenant_id: app.tenant });
  const { key } = await latchkey.createKey(bearer(token));
  const employer = await newEmployer(service);
  const { rule_id: rule } = await employer.create();
  // Each answer is another token, as of a platform.
  const platform = createServer((_, response) => void response.end(employer.assertion()));
  const platformPort = await listenOnLoopback(platform);
  const callers = { url: latchkey.url, key, token, publishableKey: app.keyHeader["x-api-key"], userToken: app.token() };
  return {
    ...callers,
    env: {
      LATCHKEY_URL: callers.url,
      LATCHKEY_KEY: callers.key,
      LATCHKEY_TOKEN: callers.token,
      LATCHKEY_PUBLISHABLE_KEY: callers.publishableKey,
      LATCHKEY_USER_TOKEN: callers.userToken,
      LATCHKEY_RULE: rule,
      LATCHKEY_RULE_KEY: employer.key.key,
      LATCHKEY_ASSERTION_URL: `http://127.0.0.1:${platformPort}/`,
    },
    close: async () => {
      await closeAll(platform);
      await latchkey.close();
      await keyHost.close();
    },
  };
}

/** Throws one line where a command cannot be run. */
export async function needs(advice: string, command: string, ...args: string[]): Promise<void> {
  if (!(await canRun(command, ...args))) throw new Error(advice);
}

/** What a program prints on both streams; its failure has it, too. */
export async function output(
  command: string,
  args: readonly string[],
  options: { readonly cwd?: string; readonly env?: Record<string, string> } = {},
): Promise<string> {
  const { cwd, env } = options;
  try {
    const { stdout, stderr } = await promisify(execFile)(command, args, {
      ...(cwd !== undefined && { cwd }),
      env: { ...process.env, ...env },
      maxBuffer: 64 * 1_048_576,
    });
    return `${stdout}${stderr}`;
  } catch (err) {
    const { stdout = "", stderr = "" } = err as { stdout?: string; stderr?: string };
    throw new Error(`${command} ${args.join(" ")} failed:\n${stdout}${stderr}`.slice(-20_000), { cause: err });
  }
}

/** The programs of a page: its fenced blocks of one language, also those that the test of shell lines leaves out (`not-run`). */
export function blocksOf(page: string, language: string): string[] {
  return [...page.matchAll(new RegExp(`^\`\`\`${language}(?: not-run)?\n(.*?)^\`\`\`$`, "gms"))].map(
    ([, block = ""]) => block,
  );
}

/** The console's first request in a language, for a secret key and for a publishable one, each with what it reads of the environment. */
export function consoleSnippets(
  language: Language,
  { url, key, publishableKey, userToken }: Pick<Callers, "url" | "key" | "publishableKey" | "userToken">,
) {
  return [
    { program: snippetOf(language, { url, key, isPublishable: false }), env: {} },
    { program: snippetOf(language, { url, key: publishableKey, isPublishable: true }), env: { USER_TOKEN: userToken } },
  ];
}
