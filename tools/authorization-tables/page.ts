import { providerMarkdown } from "./provider-table.ts";
import { markdown } from "./tables.ts";

export const PAGE = new URL("../../docs/authorization.md", import.meta.url);

/** A part of the page that is generated, with the lines before and after it. */
export interface PagePart {
  readonly begin: string;
  readonly end: string;
  readonly text: string;
}

export function parts(): readonly PagePart[] {
  return [part("providers", providerMarkdown()), part("tables", markdown())];
}

function part(name: string, text: string): PagePart {
  return { begin: `<!-- generated: ${name}: begin -->`, end: `<!-- generated: ${name}: end -->`, text };
}
