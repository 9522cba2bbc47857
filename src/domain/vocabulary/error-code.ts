/** The code of an error from Node or a driver, such as `ENOENT` or an SQLSTATE. Undefined: it has none. */
export function codeOf(err: unknown): string | undefined {
  return err instanceof Error && "code" in err && typeof err.code === "string" ? err.code : undefined;
}
