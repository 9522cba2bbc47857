import type { DescEnum, DescEnumValue, DescField, DescMessage, DescMethod, DescService } from "@bufbuild/protobuf";
import { getComments } from "@bufbuild/protoplugin";

type Commented = DescMessage | DescField | DescEnum | DescEnumValue | DescService | DescMethod;

/** What the proto says of a thing: paragraphs without line breaks. The linter sees to it that there is a comment. */
export function paragraphsOf(desc: Commented): string[] {
  const text = getComments(desc).leading ?? "";
  return text
    .split(/\n[ \t]*\n/)
    .map((paragraph) =>
      paragraph
        .split("\n")
        .map((line) => line.trim())
        .join(" ")
        .trim(),
    )
    .filter((paragraph) => paragraph !== "");
}

/** The comment as Markdown. */
export function descriptionOf(desc: Commented): string {
  return withoutName(paragraphsOf(desc).join("\n\n"), desc.name);
}

/** The comment's first sentence as plain text, without its full stop. */
export function summaryOf(desc: Commented): string {
  const [first = ""] = paragraphsOf(desc);
  const [, sentence = first] = /^(.*?)\.(?:\s|$)/.exec(first) ?? [];
  return withoutName(sentence, desc.name).replaceAll("`", "");
}

/** Comments begin with the name of what they describe, which stands right above them in a document. */
function withoutName(text: string, name: string): string {
  const rest = text.startsWith(`${name} `) ? text.slice(name.length + 1).replace(/^is /, "") : text;
  return rest.slice(0, 1).toUpperCase() + rest.slice(1);
}
