/** Members of a key's limit; 0: none. */
export interface Limit {
  readonly requestsPerMinute: number;
  readonly requestsPerHour: number;
  readonly burstSize: number;
}

/** What a limit means for those who call with the key. */
export function limitSentence({ requestsPerMinute: minute, requestsPerHour: hour, burstSize: burst }: Limit): string {
  if (minute === 0 && hour === 0)
    return burst === 0
      ? "No limit: the key may make as many requests as it likes."
      : "No limit: a burst alone limits nothing. Set requests per minute or per hour, too.";
  const caps = [minute > 0 && `${count(minute)} a minute`, hour > 0 && `${count(hour)} an hour`].filter(Boolean);
  const rate = minute > 0 ? minute : hour;
  const every = spell((minute > 0 ? 60 : 3_600) / rate);
  const size = burst > 0 ? burst : rate;
  return `At most ${caps.join(" and ")}. ${count(size)} may come at once; after that, one more every ${every}.`;
}

/** What the limit of each user means. It is beside the key's own. */
export function userLimitSentence(limit: Limit): string {
  return limitSentence(limit).replace(/^At most/, "For each user at most");
}

/** The limit of a new key without its own, by DEFAULT_REQUESTS_PER_MINUTE of the service. 0: no limit. */
export function defaultSentence(requestsPerMinute: number): string {
  const limit = { requestsPerMinute, requestsPerHour: 0, burstSize: 0 };
  return requestsPerMinute === 0
    ? limitSentence(limit)
    : `The default of this service: ${lowerFirst(limitSentence(limit))}`;
}

function lowerFirst(text: string): string {
  return text.charAt(0).toLowerCase() + text.slice(1);
}

function count(requests: number): string {
  return `${requests.toLocaleString("en")} ${requests === 1 ? "request" : "requests"}`;
}

function spell(seconds: number): string {
  if (seconds < 1) return `${Number((seconds * 1_000).toPrecision(2)).toLocaleString("en")} ms`;
  return seconds === 1 ? "second" : `${Number(seconds.toPrecision(3)).toLocaleString("en")} s`;
}
