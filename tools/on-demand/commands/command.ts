#!/usr/bin/env node
import { basename } from "node:path";
import { pathToFileURL } from "node:url";
import { program } from "../packages.ts";

/** Runs the program whose name it is called by, in this process: npm links a name to it for each of them. */
const [, called = ""] = process.argv;
await import(pathToFileURL(await program(basename(called))).href);
