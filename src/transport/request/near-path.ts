import { likely } from "../../domain/vocabulary/nearest.ts";

/** Shorter endings could match too many paths. */
const END_CHARS_MIN = 5;
/** Longer than each of our paths. */
const COMPARED_CHARS_MAX = 128;

/** A service with its package, in whatever case, and a method. Other paths with a dot, such as `/openapi.json/x`, have but one. */
const RPC_PATH = /^\/(?:\w+\.[A-Z]\w*|\w+(?:\.\w+){2,})\/\w+$/;

/**
 * Returns a suggestion for an unknown path: the path that was probably meant, or the operations below it. Undefined if no
 * path is similar. Of equally near paths, one of an earlier group is suggested. Only our paths are ever named.
 *
 * Unknown paths need no credentials, so they are not compared with every known one: they are looked up by their letters and
 * their ends, and a slip is looked for among the folders, and then in one folder.
 */
export function createNearPath(...groups: readonly (readonly string[])[]): (path: string) => string | undefined {
  const paths = groups.flat();
  const byLetters = grouped(paths.map((path) => [segmentsOf(path).join(""), path]));
  const byEnds = groups.map((group) =>
    grouped(group.flatMap((path) => endsOf(segmentsOf(path)).map((end) => [end, path] as const))),
  );
  const folders = grouped(paths.map((path) => [folderOf(segmentsOf(path)), path]));
  const folderNames = [...folders.keys()].filter((folder) => folder !== "");

  /** The known path that ends with this one, if it is the only one of its group, or that this one ends with. */
  function sameEnd(segments: readonly string[]): string | undefined {
    const letters = segments.join("");
    const longer = firstOf(byEnds, (byEnd) => onlyOf(byEnd.get(letters)));
    return longer ?? firstOf(endsOf(segments), (end) => byLetters.get(end)?.[0]);
  }

  /** The path with a slip in its folder or in its last segment. */
  function similar(segments: readonly string[]): string | undefined {
    const folder = folderOf(segments);
    const siblings = folders.get(folder) ?? folders.get(likely(folder, folderNames) ?? "") ?? [];
    const lasts = new Map(siblings.map((path) => [segmentsOf(path).at(-1) ?? "", path]));
    return lasts.get(likely(segments.at(-1) ?? "", [...lasts.keys()]) ?? "");
  }

  return (path) => {
    const segments = segmentsOf(path.slice(0, COMPARED_CHARS_MAX));
    const letters = segments.join("");
    return (
      offer(byLetters.get(letters)?.[0]) ??
      (letters === "" ? undefined : list(folders.get(letters))) ??
      offer(sameEnd(segments) ?? similar(segments)) ??
      list(firstOf(ancestorsOf(segments), (folder) => folders.get(folder)))
    );
  };
}

/** Whether a path has the form of an RPC's: its caller is a client of Connect, gRPC or gRPC-Web. */
export function isRpcPath(path: string): boolean {
  return RPC_PATH.test(path);
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

/** The folders that contain a path, the innermost first, without the root. */
function ancestorsOf(segments: readonly string[]): readonly string[] {
  return segments.slice(1).map((_, index) => folderOf(segments.slice(0, segments.length - index)));
}

/** The letters of the folder that contains a path, none for the root. */
function folderOf(segments: readonly string[]): string {
  return segments.slice(0, -1).join("");
}

/** The letters of the ends of a path, without its first segments, the longest first. */
function endsOf(segments: readonly string[]): string[] {
  const ends = segments.map((_, index) => segments.slice(index + 1).join(""));
  return ends.filter(({ length }) => length >= END_CHARS_MIN);
}

/** The parts of a path in lower-case letters and digits, without a leading `/api/v1`, which some clients leave out. */
function segmentsOf(path: string): string[] {
  const segments = path.split(/[/.]/).map((segment) => segment.toLowerCase().replace(/[^a-z0-9]/g, ""));
  const named = segments.filter((segment) => segment !== "");
  const first = named.findIndex((segment) => segment !== "api" && !/^v\d$/.test(segment));
  return first < 0 ? [] : named.slice(first);
}

function onlyOf(paths: readonly string[] = []): string | undefined {
  return paths.length === 1 ? paths[0] : undefined;
}

function grouped(entries: readonly (readonly [key: string, path: string])[]): ReadonlyMap<string, readonly string[]> {
  const groups = new Map<string, string[]>();
  for (const [key, path] of entries) groups.set(key, [...(groups.get(key) ?? []), path]);
  return groups;
}
