import type { Command } from "commander";
import type { Finding } from "../../check/finding.ts";
import { addCommand, type Surroundings } from "../command.ts";
import { EXIT_STATUS } from "../exit-status.ts";
import { printable, printableJson } from "../output/printable.ts";
import type { Paint } from "../output/table.ts";

const STYLES = { ok: "good", warning: "head", problem: "bad" } as const satisfies Record<
  Finding["level"],
  Parameters<Paint>[0]
>;
const LEVEL_WIDTH = "problem".length;

/** `latchkey doctor`: whether the service would work with this environment. */
export function addDoctor(program: Command, around: Surroundings): void {
  const description =
    "find problems of configuration, PostgreSQL, Redis and identity provider, without secrets, a line a finding";
  addCommand<{ migrating?: true }>(program, "doctor", description, around, async ({ env, options }) => {
    const { out, outLayout } = around.terminal;
    const { checkDeployment } = await import("../../check/deployment.ts");
    const findings: Finding[] = [];
    for await (const finding of checkDeployment(env, options.migrating ? "migrating" : "serving")) {
      findings.push(finding);
      const { level, subject, text } = finding;
      const shown = outLayout.paint(STYLES[level], level) + " ".repeat(LEVEL_WIDTH - level.length);
      if (!options.json) out(`${shown}  ${subject}: ${printable(text)}\n`);
    }
    if (options.json) out(`${printableJson({ findings })}\n`);
    if (findings.some(({ level }) => level === "problem")) process.exitCode = EXIT_STATUS.failed;
  }).option("--migrating", "the role of DATABASE_URL is the one that migrates, not the one that serves");
}
