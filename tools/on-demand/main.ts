import { spawnSync } from "node:child_process";
import { program } from "./packages.ts";

/** Runs a program of the packages: `node tools/on-demand/main.ts vitepress build docs`. */
const [name = "", ...args] = process.argv.slice(2);
const { status } = spawnSync(process.execPath, [await program(name), ...args], { stdio: "inherit" });
process.exitCode = status ?? 1;
