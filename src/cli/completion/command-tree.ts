import type { Command, Option } from "commander";

/** A word that may come next, and what it is for. */
export interface Suggestion {
  readonly word: string;
  readonly description: string;
}

/** A command or a group of them, as completion scripts need it. */
export interface CommandNode {
  /** Its words behind the program's name, with a space between them; empty for the program itself. */
  readonly path: string;
  readonly commands: readonly Suggestion[];
  readonly options: readonly Suggestion[];
}

/** What may follow an option. */
export interface OptionValue {
  readonly flag: string;
  /** The values that it takes; `file`: a path; `any`: what the shell cannot know. */
  readonly values: readonly string[] | "file" | "any";
}

/** Every command of the program, its groups before their members. */
export function commandNodes(program: Command): readonly CommandNode[] {
  const inherited = suggestions(program.options);
  const visit = (command: Command, path: string): CommandNode[] => {
    const children = command.commands.map((child) =>
      visit(child, path === "" ? child.name() : `${path} ${child.name()}`),
    );
    const own = command === program ? inherited : [...suggestions(command.options), ...inherited];
    const node = {
      path,
      commands: command.commands.map((child) => ({ word: child.name(), description: child.description() })),
      options: [...own, { word: "--help", description: "display help" }],
    };
    return [node, ...children.flat()];
  };
  return visit(program, "");
}

/** Every option with a value. The same name takes the same values, whatever command it belongs to. */
export function optionValues(program: Command): readonly OptionValue[] {
  const found = new Map<string, OptionValue>();
  const visit = (command: Command): void => {
    for (const { long, required, flags, argChoices } of command.options) {
      if (long === undefined || long === null || !required) continue;
      const values = argChoices ?? (flags.includes("<path>") ? "file" : "any");
      found.set(long, { flag: long, values });
    }
    for (const child of command.commands) visit(child);
  };
  visit(program);
  return [...found.values()];
}

function suggestions(options: readonly Option[]): Suggestion[] {
  return options.flatMap(({ long, description }) => (long ? [{ word: long, description }] : []));
}
