import type { Command } from "commander";
import { wholeNumber } from "../input/whole-number.ts";

/** The options of a command that lists. */
export interface PageOptions {
  readonly page?: number;
  readonly perPage?: number;
}

const INT32_MAX = 2_147_483_647;

export function withPages(command: Command): Command {
  return command
    .option("--page <number>", "page of the list, from 1", wholeNumber(1, INT32_MAX))
    .option("--per-page <number>", "items on a page, at most 100 (default: 20)", wholeNumber(1, 100));
}

/** The members of the request. */
export function pageOf({ page = 0, perPage = 0 }: PageOptions): { page: number; perPage: number } {
  return { page, perPage };
}
