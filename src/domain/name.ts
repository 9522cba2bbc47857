import { isBlank } from "./blank.ts";
import { invalid } from "./request-fault.ts";

const NAME_CHARS_MAX = 128;

/** A label: 1 to 128 characters, at least one of them visible. */
export function checkedName(name: string): string {
  const length = [...name].length;
  if (length > NAME_CHARS_MAX) throw invalid("name", `must be at most ${NAME_CHARS_MAX} characters, not ${length}`);
  if (isBlank(name))
    throw invalid("name", `is required: 1 to ${NAME_CHARS_MAX} characters, at least one of them visible`);
  return name;
}
