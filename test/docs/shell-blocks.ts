/** A block of commands on a page, and what the page says that they print. */
export interface ShellBlock {
  readonly commands: string;
  /** The line of the page at which the commands begin. */
  readonly line: number;
  /** Whether the page marks it as one that no test runs: "```sh not-run". */
  readonly isMarked: boolean;
  readonly printed: Printed | undefined;
}

export interface Printed {
  /** `sample`: JSON of which the shape alone is compared. */
  readonly kind: "json" | "sample" | "text";
  readonly text: string;
}

/** A label makes a tab of a block on the site; those of other languages may stand before what the commands print. */
const BLOCK =
  /^```sh(?: \[[^\]\n]+\])?( not-run)?\n(.*?)^```\n(?:(?:\n```\w+ \[[^\]\n]+\]\n.*?^```\n)*\n```(json|text)( sample)?\n(.*?)^```\n)?/gms;
/** Every fence of a shell, however it is written, so that none escapes. */
const ANY_SHELL = /^ *(?:```+|~~~+) *(?:sh|bash|shell|console|zsh)\b.*$/gm;

/** The shell blocks of a page, in order. Throws if one is not written as all others are. */
export function shellBlocksOf(page: string): readonly ShellBlock[] {
  const blocks = [...page.matchAll(BLOCK)].map((match): ShellBlock => {
    const [, mark, commands = "", language, sample, text = ""] = match;
    const kind = sample === undefined ? language : "sample";
    return {
      commands,
      line: page.slice(0, match.index).split("\n").length + 1,
      isMarked: mark !== undefined,
      printed: kind === "json" || kind === "sample" || kind === "text" ? { kind, text } : undefined,
    };
  });
  const fences = [...page.matchAll(ANY_SHELL)].map(([fence]) => fence);
  if (fences.length !== blocks.length) throw new Error(`not all of these are read as blocks: ${fences.join(", ")}`);
  return blocks;
}

/** The statuses of the codes by which a page says that a call is refused. */
const STATUS_OF_CODE: Readonly<Record<string, number>> = {
  invalid_argument: 400,
  failed_precondition: 400,
  unauthenticated: 401,
  permission_denied: 403,
  not_found: 404,
  resource_exhausted: 429,
  internal: 500,
  unavailable: 503,
};

/** The status that the page states for the last call of a block: that of the `code` in what it prints. Otherwise 2xx. */
export function statedStatus({ printed }: ShellBlock): number | undefined {
  if (printed?.kind !== "json") return undefined;
  const { code }: { code?: string } = JSON.parse(printed.text);
  if (code === undefined) return undefined;
  const status = STATUS_OF_CODE[code];
  if (status === undefined) throw new Error(`no status is known for the code ${code}`);
  return status;
}
