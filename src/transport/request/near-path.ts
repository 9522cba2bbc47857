/** Maximum letters that may differ in one place to count as a typing error, if they are at most a quarter of the path. */
const SLIP_CHARS_MAX = 3;
/** Shorter endings could match too many paths. */
const END_CHARS_MIN = 5;
/** Longer than each of our paths. */
const COMPARED_CHARS_MAX = 128;

interface Known {
  readonly path: string;
  /** Its letters and digits. Paths are compared by them. */
  readonly letters: string;
}

type Find = (letters: string, known: readonly Known[]) => string | undefined;

/**
 * Returns a suggestion for an unknown path: the path that was probably meant, or the operations below it. Undefined if no
 * path is similar. Among equally near paths, one of an earlier group is suggested. Only our paths are ever named.
 */
export function createNearPath(...groups: readonly (readonly string[])[]): (path: string) => string | undefined {
  const known = groups.map((paths) => paths.map((path) => ({ path, letters: segmentsOf(path).join("") })));
  const below = pathsByFolder(groups.flat());

  return (path) => {
    const segments = segmentsOf(path.slice(0, COMPARED_CHARS_MAX));
    const letters = segments.join("");
    const meant = (...finds: readonly Find[]) =>
      firstOf(finds, (find) => firstOf(known, (group) => find(letters, group)));
    return (
      offer(meant(sameLetters)) ??
      list(below.get(letters)) ??
      offer(meant(sameEnd, similar)) ??
      list(firstOf(ancestorsOf(segments), (folder) => below.get(folder)))
    );
  };
}

function offer(path: string | undefined): string | undefined {
  return path && `did you mean ${path}? Paths are compared as they are.`;
}

function list(paths: readonly string[] | undefined): string | undefined {
  return paths && `the nearest are ${paths.join(", ")}; GET /openapi.json has all operations.`;
}

function firstOf<Item, Result>(items: readonly Item[], find: (item: Item) => Result | undefined): Result | undefined {
  for (const item of items) {
    const found = find(item);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** The folders that contain a path, the innermost first. */
function ancestorsOf(segments: readonly string[]): readonly string[] {
  return segments.map((_, index) => segments.slice(0, -1 - index).join(""));
}

/** The paths, grouped by the letters of their folder. */
function pathsByFolder(paths: readonly string[]): ReadonlyMap<string, readonly string[]> {
  const folders = new Map<string, string[]>();
  for (const path of paths) {
    const folder = segmentsOf(path).slice(0, -1).join("");
    if (folder !== "") folders.set(folder, [...(folders.get(folder) ?? []), path]);
  }
  return folders;
}

/** The parts of a path in lower-case letters and digits, without a leading `/api/v1`, which some clients leave out. */
function segmentsOf(path: string): string[] {
  const segments = path.split("/").map((segment) => segment.toLowerCase().replace(/[^a-z0-9]/g, ""));
  const named = segments.filter((segment) => segment !== "");
  const first = named.findIndex((segment) => segment !== "api" && !/^v\d$/.test(segment));
  return first < 0 ? [] : named.slice(first);
}

function sameLetters(letters: string, known: readonly Known[]): string | undefined {
  return known.find((each) => each.letters === letters)?.path;
}

/** The path that ends with this one, or that this one ends with. Undefined if there are several. */
function sameEnd(letters: string, known: readonly Known[]): string | undefined {
  if (letters.length < END_CHARS_MIN) return undefined;
  const [found, another] = known.filter((each) => each.letters.endsWith(letters) || letters.endsWith(each.letters));
  return another === undefined ? found?.path : undefined;
}

/**
 * The path that differs in the fewest letters in one place. An edit distance would cost the product of both lengths, and
 * unknown paths need no credentials.
 */
function similar(letters: string, known: readonly Known[]): string | undefined {
  let best: string | undefined;
  let chars = Math.min(SLIP_CHARS_MAX, Math.floor(letters.length / 4)) + 1;
  for (const each of known) {
    if (Math.abs(each.letters.length - letters.length) >= chars) continue;
    const differing = charsBetween(letters, each.letters);
    if (differing >= chars) continue;
    best = each.path;
    chars = differing;
  }
  return best;
}

/** How many letters of the longer text lie between the prefix and the suffix that both texts share. */
function charsBetween(a: string, b: string): number {
  const length = Math.min(a.length, b.length);
  let before = 0;
  while (before < length && a[before] === b[before]) before++;
  let after = 0;
  while (after < length - before && a[a.length - 1 - after] === b[b.length - 1 - after]) after++;
  return Math.max(a.length, b.length) - before - after;
}
