/** Writes a time in milliseconds as `2026-01-31T12:00:00.000Z`. All but the milliseconds is cached for a second. */
export function createIsoTime(): (ms: number) => string {
  let second = Number.NaN;
  let beginning = "";
  return (ms) => {
    const wholeSecond = Math.floor(ms / 1_000);
    if (wholeSecond !== second) {
      second = wholeSecond;
      beginning = new Date(wholeSecond * 1_000).toISOString().slice(0, -"000Z".length);
    }
    return `${beginning}${String(ms - wholeSecond * 1_000).padStart(3, "0")}Z`;
  };
}
