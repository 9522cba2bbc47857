/** Whether a text is a name as a person sees and types it: without marks that are not seen, and with single spaces. */
export function isTypedName(typed: string, name: string): boolean {
  return visible(typed) === visible(name);
}

function visible(text: string): string {
  return text
    .normalize("NFC")
    .replaceAll(/\p{Cf}/gu, "")
    .replaceAll(/\s+/g, " ")
    .trim();
}
