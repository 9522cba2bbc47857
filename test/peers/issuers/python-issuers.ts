import { fileURLToPath } from "node:url";
import { signIn } from "../../identity/sign-in.ts";
import { freePort } from "../../servers/free-port.ts";
import { createVenv } from "../venv.ts";
import { type Issuer, PASSWORD, REDIRECT_URI, startProgram } from "./issuer.ts";

/** Below `url`, where discovery is. */
const ISSUER_PATHS = { "django-provider.py": "/o", "canaille-provider.py": "" };

/** What the login forms of both have between them. */
const LOGIN = { username: "alice", login: "alice", password: PASSWORD };

export const startDjango = (): Promise<Issuer> =>
  startPython("django-provider.py", "django-oauth-toolkit==3.4.1", "django==5.2.19", "cryptography");

export const startCanaille = (): Promise<Issuer> => startPython("canaille-provider.py", "canaille[front,oidc]==0.3.6");

async function startPython(program: keyof typeof ISSUER_PATHS, ...packages: string[]): Promise<Issuer> {
  const venv = await createVenv(...packages);
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const issuer = `${url}${ISSUER_PATHS[program]}`;
  const file = fileURLToPath(new URL(program, import.meta.url));
  const [discovery, args] = [`${issuer}/.well-known/openid-configuration`, [String(port), PASSWORD, REDIRECT_URI]];
  const stop = await startProgram(discovery, `${venv.dir}/bin/python`, [file, ...args], { cwd: venv.dir });
  return {
    url,
    tokenFor: async (client) => (await signIn(issuer, client, REDIRECT_URI, LOGIN, "RS256")).idToken,
    stop: async () => {
      await stop();
      await venv.remove();
    },
  };
}
