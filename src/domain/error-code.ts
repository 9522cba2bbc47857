/** The code that Node or a driver gave an error, such as `ENOENT` or an SQLSTATE; undefined where it has none. */
export function codeOf(err: unknown): string | undefined {
  return err instanceof Error && "code" in err && typeof err.code === "string" ? err.code : undefined;
}
