/** One range of an `Accept` header. */
export interface MediaRange {
  /** In lower case, such as `application/json`. */
  readonly type: string;
  /** By name, both in lower case. Without `q`. */
  readonly parameters: ReadonlyMap<string, string>;
  /** 0 to 1; 0: not acceptable. */
  readonly quality: number;
}

/** The ranges of an `Accept` header (RFC 9110, 12.5.1). A quality that is not a number is 0. */
export function mediaRanges(accept: string): MediaRange[] {
  return accept
    .toLowerCase()
    .split(",")
    .map((range) => {
      const [type = "", ...parts] = range.split(";").map((part) => part.trim());
      const parameters = new Map(parts.map((part): [string, string] => splitAt(part, "=")));
      const quality = Number(parameters.get("q") ?? 1) || 0;
      parameters.delete("q");
      return { type, parameters, quality };
    });
}

function splitAt(text: string, separator: string): [before: string, after: string] {
  const at = text.indexOf(separator);
  return at < 0 ? [text, ""] : [text.slice(0, at), text.slice(at + 1)];
}
