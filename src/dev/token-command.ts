import { Command } from "commander";
import { emailClaims, ownerClaims } from "./organizations.ts";
import { DEV_DIR } from "./paths.ts";
import { storedSigner } from "./persistent-provider.ts";

const OWNER = ownerClaims();
const HOUR_S = 3_600;

/** Prints a token of the development server's provider, whether that is running or not. `name` is what the help calls it. */
export function createTokenCommand(name: string): Command {
  const program: Command = new Command(name)
    .description(
      "Prints a token that the development server accepts, as a dashboard user's or as that of an app's user.",
    )
    .option("--sub <id>", "the user", OWNER.sub)
    .option("--tenant <id>", "their tenant", OWNER.tenant_id)
    .option("--no-tenant", "a user without a tenant")
    .option("--role <name...>", "their roles", OWNER.roles)
    .option("--expired", "a token that expired an hour ago")
    .option("--claim <name=value...>", "further claims; a value that is JSON is read as JSON")
    .allowExcessArguments(false)
    .action((options: Options) => printToken(program, options));
  return program;
}

interface Options {
  readonly sub: string;
  /** `false`: none. */
  readonly tenant: string | false;
  readonly role: readonly string[];
  readonly expired?: true;
  readonly claim?: readonly string[];
}

async function printToken(program: Command, { sub, tenant, role, expired, claim = [] }: Options): Promise<void> {
  const sign = await storedSigner(DEV_DIR);
  if (sign === undefined)
    program.error(`error: there is no ${DEV_DIR} here: start the development server first, in this folder`);
  const nowS = Math.floor(Date.now() / 1_000);
  const token = await sign({
    sub,
    ...emailClaims(sub),
    ...(tenant !== false && { tenant_id: tenant, roles: role }),
    ...(expired && { iat: nowS - 2 * HOUR_S, exp: nowS - HOUR_S }),
    ...Object.fromEntries(claim.map((text) => claimOf(program, text))),
  });
  console.log(token);
}

function claimOf(program: Command, text: string): [string, unknown] {
  const [, name, value = ""] = /^([^=]+)=(.*)$/s.exec(text) ?? [];
  if (name === undefined) program.error(`error: --claim ${text}: must be name=value`);
  try {
    return [name, JSON.parse(value)];
  } catch {
    return [name, value];
  }
}
