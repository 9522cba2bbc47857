import type { Command } from "commander";
import { commandNodes, optionValues, type Suggestion } from "./command-tree.ts";

/** Completion for zsh, with descriptions, without a process for each key press. */
export function zshCompletion(program: Command): string {
  const nodes = commandNodes(program);
  const paths = nodes.filter(({ path }) => path !== "").map(({ path }) => `"${path}"`);
  const words = nodes.map(
    ({ path, commands, options }) =>
      `    "${path}")\n      commands=(${listed(commands)})\n      options=(${listed(options)}) ;;`,
  );
  const values = optionValues(program).map(({ pattern, values }) => {
    if (values === "file") return `    ${pattern}) _files; return ;;`;
    return values === "any" ? `    ${pattern}) return ;;` : `    ${pattern}) compadd -- ${values.join(" ")}; return ;;`;
  });
  return `#compdef latchkey
# Completion of latchkey for zsh. Load it with: source <(latchkey completion zsh)
_latchkey() {
  local at="" word next
  local -a commands options
  for word in "\${(@)words[2,CURRENT-1]}"; do
    next="$at\${at:+ }$word"
    case "$next" in
      ${paths.join(" | ")}) at="$next" ;;
    esac
  done
  case "$at $words[CURRENT-1]" in
${values.join("\n")}
  esac
  case "$at" in
${words.join("\n")}
  esac
  if [[ "$words[CURRENT]" == -* ]]; then
    _describe -o option options
  elif (( \${#commands} )); then
    _describe command commands
  fi
}
if [[ "\${funcstack[1]}" == _latchkey ]]; then
  _latchkey "$@"
else
  compdef _latchkey latchkey
fi
`;
}

/** As `_describe` takes them: in single quotes, with a colon between word and description. */
function listed(suggestions: readonly Suggestion[]): string {
  return suggestions
    .map(({ word, description }) => `'${word}:${description.replaceAll("'", "'\\''").replaceAll(":", "\\:")}'`)
    .join(" ");
}
