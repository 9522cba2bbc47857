const BEGIN =
  "<!-- The denials are made from proto/latchkey/v1/denial.proto: edit them there, then run npm run generate. -->";
const END = "<!-- End of the denials. -->";

/** The page with the sections between its two marks renewed; all else is written by hand and stays. */
export function withSections(page: string, sections: string): string {
  const begin = page.indexOf(BEGIN);
  const end = page.indexOf(END);
  if (begin < 0 || end < begin) throw new Error(`the page lacks the lines\n${BEGIN}\n${END}`);
  return `${page.slice(0, begin + BEGIN.length)}\n\n${sections}\n\n${page.slice(end)}`;
}
