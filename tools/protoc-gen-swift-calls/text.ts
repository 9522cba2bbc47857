const WIDTH = 120;

/** Lines of a comment that DocC reads. */
export function docComment(paragraphs: readonly string[], indent: number): string[] {
  const prefix = `${" ".repeat(indent)}///`;
  return paragraphs.flatMap((paragraph, index) => [
    ...(index === 0 ? [] : [prefix]),
    ...wrapped(paragraph, WIDTH - prefix.length - 1).map((line) => `${prefix} ${line}`),
  ]);
}

/** A list item of such a comment. */
export function docItem(text: string, indent: number): string[] {
  const prefix = `${" ".repeat(indent)}///`;
  return wrapped(text, WIDTH - prefix.length - 5).map(
    (line, index) => `${prefix}   ${index === 0 ? "- " : "  "}${line}`,
  );
}

export function indented(lines: readonly string[], indent: number): string[] {
  return lines.map((line) => (line === "" ? "" : `${" ".repeat(indent)}${line}`));
}

/** A list in parentheses, on one line where it fits. */
export function listed(head: string, items: readonly string[], tail: string): string[] {
  const line = `${head}(${items.join(", ")})${tail}`;
  if (line.length <= WIDTH) return [line];
  return [`${head}(`, ...items.map((item, index) => `    ${item}${index === items.length - 1 ? "" : ","}`), `)${tail}`];
}

function wrapped(text: string, width: number): string[] {
  const lines: string[] = [];
  let line = "";
  for (const word of text.split(" ")) {
    if (line !== "" && line.length + 1 + word.length > width) {
      lines.push(line);
      line = "";
    }
    line = line === "" ? word : `${line} ${word}`;
  }
  return [...lines, line];
}
