/** Collects an option that may be repeated, or have several values with commas between them. */
export function listed(text: string, before: readonly string[] = []): readonly string[] {
  return [...before, ...text.split(",").map((part) => part.trim())].filter((part) => part !== "");
}

/** The same where `none` says that the list is to be empty, which an empty text must not. */
export function listedOrNone(text: string, before: readonly string[] | "none" = []): readonly string[] | "none" {
  return text === "none" ? text : listed(text, before === "none" ? [] : before);
}
