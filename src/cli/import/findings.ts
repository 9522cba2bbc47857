import { KeyForms } from "./key-forms.ts";

const NAMES_MAX = 1_000;
const OTHERS = "(other members)";

/** Facts for the end of an import. They are complete when the last row was read, and of bounded size whatever the file has. */
export class Findings {
  /** The forms of the keys, for the formats to declare. */
  readonly forms = new KeyForms();
  /** The export lacks its further pages, and so their keys. */
  isPartial = false;
  readonly #lost = new Map<string, number>();

  /** Members with a value that no row has, with the number of their keys, the most frequent first. */
  get lost(): readonly { readonly member: string; readonly keys: number }[] {
    const all = [...this.#lost].map(([member, keys]) => ({ member, keys }));
    return all.toSorted((a, b) => b.keys - a.keys);
  }

  lose(member: string): void {
    const name = this.#lost.has(member) || this.#lost.size < NAMES_MAX ? member : OTHERS;
    this.#lost.set(name, (this.#lost.get(name) ?? 0) + 1);
  }
}
