const BEGIN =
  "<!-- The table is made from proto/latchkey/v1/denial.proto: edit it there, then run npm run generate. -->";
const END = "<!-- End of the table. -->";

/** The page with the table between its two marks renewed; all else is written by hand and stays. */
export function withTable(page: string, table: string): string {
  const begin = page.indexOf(BEGIN);
  const end = page.indexOf(END);
  if (begin < 0 || end < begin) throw new Error(`the page lacks the lines\n${BEGIN}\n${END}`);
  return `${page.slice(0, begin + BEGIN.length)}\n\n${table}\n\n${page.slice(end)}`;
}
