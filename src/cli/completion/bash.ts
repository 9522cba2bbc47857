import type { Command } from "commander";
import { commandNodes, optionValues } from "./command-tree.ts";

/** Completion for bash from 3.2 on, without a process for each key press. */
export function bashCompletion(program: Command): string {
  const nodes = commandNodes(program);
  const paths = nodes.filter(({ path }) => path !== "").map(({ path }) => `"${path}"`);
  const words = nodes.map(({ path, commands, options }) => {
    const offered = [...commands, ...options].map(({ word }) => word).join(" ");
    return `    "${path}") words="${offered}" ;;`;
  });
  const values = optionValues(program).map(({ pattern, values }) => {
    if (values === "file") return `    ${pattern}) COMPREPLY=($(compgen -f -- "$current")); return ;;`;
    return values === "any"
      ? `    ${pattern}) return ;;`
      : `    ${pattern}) COMPREPLY=($(compgen -W "${values.join(" ")}" -- "$current")); return ;;`;
  });
  return `# Completion of latchkey for bash. Load it with: source <(latchkey completion bash)
_latchkey() {
  local current="\${COMP_WORDS[COMP_CWORD]}" previous="\${COMP_WORDS[COMP_CWORD - 1]}" path="" words="" next n
  COMPREPLY=()
  for ((n = 1; n < COMP_CWORD; n++)); do
    next="$path\${path:+ }\${COMP_WORDS[n]}"
    case "$next" in
      ${paths.join(" | ")}) path="$next" ;;
    esac
  done
  case "$path $previous" in
${values.join("\n")}
  esac
  case "$path" in
${words.join("\n")}
  esac
  COMPREPLY=($(compgen -W "$words" -- "$current"))
}
complete -o filenames -F _latchkey latchkey
`;
}
