/** Tells the time as `2026-01-31T12:00:00.000Z`: all but the milliseconds is made once a second. */
export function createIsoTime(): () => string {
  let second = Number.NaN;
  let beginning = "";
  return () => {
    const nowMs = Date.now();
    const nowSecond = Math.floor(nowMs / 1_000);
    if (nowSecond !== second) {
      second = nowSecond;
      beginning = new Date(nowSecond * 1_000).toISOString().slice(0, -"000Z".length);
    }
    return `${beginning}${String(nowMs - nowSecond * 1_000).padStart(3, "0")}Z`;
  };
}
