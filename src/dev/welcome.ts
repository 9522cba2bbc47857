/** The three lines that `npm run dev` prints. `envFile` is a path from the root, `tryUrl` the page with what comes next. */
export function welcome(url: string, envFile: string, tryUrl: string): string {
  return `Latchkey is running at ${url}, its console at ${url}/console (sign in as dev-user). Stop it with Ctrl-C.
Tokens and keys, for another terminal:  . '${envFile.replaceAll("'", "'\\''")}'
What to do with them, line by line:     ${tryUrl}`;
}
