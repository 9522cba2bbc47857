/** Collects an option that may be repeated, or have several values with commas between them. */
export function listed(text: string, before: readonly string[] = []): readonly string[] {
  return [...before, ...text.split(",").map((part) => part.trim())].filter((part) => part !== "");
}
