const VERSION = "/api/v1";

/** Finds the path that was meant by one that differs in case, by slashes at its end, or lacks the version before it. */
export function createNearPath(paths: Iterable<string>): (path: string) => string | undefined {
  const known = new Map<string, string>();
  for (const path of paths) {
    known.set(comparable(path), path);
    if (path.startsWith(`${VERSION}/`)) known.set(comparable(path.slice(VERSION.length)), path);
  }
  return (path) => known.get(comparable(path));
}

function comparable(path: string): string {
  let end = path.length;
  while (path[end - 1] === "/") end--;
  return path.slice(0, end).toLowerCase();
}
