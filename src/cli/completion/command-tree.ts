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
  /** With its dashes. */
  readonly flag: string;
  /** A shell's pattern of the command's path, a space and the option. */
  readonly pattern: string;
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

/** Every option with a value: once, unless commands take different values for it. */
export function optionValues(program: Command): readonly OptionValue[] {
  const found = new Map<string, { readonly path: string; readonly values: OptionValue["values"] }[]>();
  const visit = (command: Command, path: string): void => {
    for (const { long, required, flags, argChoices } of command.options) {
      if (long === undefined || long === null || !required) continue;
      const values = argChoices ?? (flags.includes("<path>") ? "file" : "any");
      found.set(long, [...(found.get(long) ?? []), { path, values }]);
    }
    for (const child of command.commands) visit(child, path === "" ? child.name() : `${path} ${child.name()}`);
  };
  visit(program, "");
  return [...found].flatMap(([flag, uses]) => {
    const [first] = uses;
    return first !== undefined && uses.every(({ values }) => String(values) === String(first.values))
      ? [{ flag, pattern: `*" ${flag}"`, values: first.values }]
      : uses.map(({ path, values }) => ({ flag, pattern: `"${path} ${flag}"`, values }));
  });
}

function suggestions(options: readonly Option[]): Suggestion[] {
  return options.flatMap(({ long, description }) => (long ? [{ word: long, description }] : []));
}
