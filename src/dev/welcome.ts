interface Welcome {
  readonly url: string;
  /** Undefined if the tenant's rules forbid one. */
  readonly key: string | undefined;
  /** An absolute path. */
  readonly envFile: string;
  /** The page with what comes next. */
  readonly tryUrl: string;
}

/** The lines that the development server prints. */
export function welcome({ url, key, envFile, tryUrl }: Welcome): string {
  const call = `curl -sS ${url}/api/v1/auth/verify -H 'Content-Type: application/json' -H 'X-API-Key: ${key}' -d '{}'`;
  return `Latchkey is running at ${url}, its console at ${url}/console (sign in as dev-user). Stop it with Ctrl-C.
${key === undefined ? "" : `A first call, from another terminal:    ${call}\n`}\
Tokens and keys, for another terminal:  . '${envFile.replaceAll("'", "'\\''")}'
What to do with them, line by line:     ${tryUrl}`;
}
