// promise: json.narrowing-clients, cli.options
import type { Command, Option } from "commander";
import { expect, test } from "vitest";
import { processTerminal } from "./output/terminal.ts";
import { createProgram } from "./program.ts";

const program = createProgram({ env: {}, terminal: processTerminal() });

/** Each option as its help has it, with the commands that take it. An option of all commands is the program's. */
function optionsOf(command: Command, path: readonly string[] = []): [string, string][] {
  return [
    ...command.options.map((option): [string, string] => [option.flags, path.join(" ") || "all"]),
    ...command.commands.flatMap((child) => optionsOf(child, [...path, child.name()])),
  ];
}

const OPTIONS = Object.groupBy(optionsOf(program), ([flags]) => flags);
const LISTS = [
  "keys list",
  "orgs list",
  "orgs members list",
  "orgs invitations list",
  "operator keys find",
  "operator keys list",
  "operator tenants list",
];
const EVENTS = ["audit list", "operator audit list"];
const TRAILS = [...EVENTS, "requests list"];
const PERIODS = ["keys usage", "operator keys usage", "usage series", "usage top", ...TRAILS];
const CREATES = ["keys create", "operator keys create"];
const UPDATES = ["keys update", "operator keys update"];
const KEY_VALUES = [...CREATES, ...UPDATES];
const FORMATS = ["operator key-formats create"];
const READERS = ["keys import", "keys compare"];
const KEY_LISTS = ["keys list", "operator keys list"];

/**
 * The same thing has the same name in every command, and a name is one thing. What is an id is named after what it names
 * (`--tenant`), or is an argument (`<key_id>`); the caller's own names and the fields of a key are named as in the API.
 */
test("the options are these, each of the commands that have it", () => {
  const found = Object.fromEntries(
    Object.entries(OPTIONS).map(([flags, uses = []]) => [flags, uses.map(([, command]) => command).sort()]),
  );
  const expected: Record<string, readonly string[]> = {
    "--access-log <path>": ["operator keys revoke-since"],
    "--action <name>": EVENTS,
    "--actor <id>": EVENTS,
    "--assertion-file <path>": ["federation check"],
    "--audience <text>": ["tokens derive"],
    "--for-user <user_id>": ["tokens derive"],
    "--jkt <thumbprint>": ["tokens derive"],
    "--rule-file <path>": ["federation create", "federation update"],
    "--ttl <seconds>": ["tokens derive"],
    "--algorithm <text>": FORMATS,
    "--alphabet <text>": FORMATS,
    "--allow-browser": KEY_VALUES,
    "--allowed-ip <cidr>": KEY_VALUES,
    "--allowed-origin <origin>": KEY_VALUES,
    "--bearer": FORMATS,
    "--brand <text>": ["keys make"],
    "--case <text>": FORMATS,
    "--client-org-id <text>": ["orgs create"],
    "--client-request-id <text>": [
      ...[...CREATES, "keys rotate", "operator keys rotate", "orgs invitations create", "tokens derive"],
      ...["webhooks create", "webhooks rotate-secret"],
    ],
    "--database <name>": ["privileges postgres"],
    "--database <number>": ["privileges redis"],
    "--description <text>": [...KEY_VALUES, "webhooks create", "webhooks update"],
    "--dry-run": ["keys import", "operator keys revoke-since"],
    "--endpoint <url>": ["webhooks update"],
    "--event <type>": ["webhooks create", "webhooks deliveries", "webhooks update"],
    "--event-id <event_id>": ["webhooks deliveries", "webhooks redeliver"],
    "--expires <instant>": KEY_VALUES,
    "--expires-before <instant>": KEY_LISTS,
    "--external-id <text>": [...KEY_VALUES, ...KEY_LISTS],
    "--exported-at <instant>": READERS,
    "--from <source>": READERS,
    "--from <instant>": [...PERIODS, "operator lost", "webhooks redeliver"],
    "--grace-hours <number>": ["keys rotate", "operator keys rotate"],
    "--hashed-part <text>": FORMATS,
    "--imported": KEY_LISTS,
    "--invitation-file <path>": ["orgs invitations accept"],
    "--issuer <url>": ["operator users erase", "orgs members remove", "orgs members set-role"],
    "--json": ["all"],
    "--key <key_id>": ["requests list", "tokens list"],
    "--key-file <path>": ["all"],
    "--secret-hash <text>": CREATES,
    "--key-format <text>": [...KEY_LISTS, ...READERS],
    "--key-prefix <text>": [...CREATES, ...KEY_LISTS, "operator keys find"],
    "--kind <kind>": ["privileges redis"],
    "--last-used-before <instant>": KEY_LISTS,
    "--leaked": KEY_LISTS,
    "--length-max <number>": FORMATS,
    "--length-min <number>": FORMATS,
    "--map <path>": READERS,
    "--metadata <json>": KEY_VALUES,
    "--migrating": ["doctor"],
    "--migrating-role <name>": ["privileges postgres"],
    "--name <text>": KEY_VALUES,
    "--name-prefix <text>": KEY_LISTS,
    "--no-allow-browser": UPDATES,
    "--oidc-file <path>": [...CREATES, "keys check-oidc"],
    "--only-failed": ["webhooks redeliver"],
    "--operator": ["keys import"],
    "--operator-token-file <path>": ["all"],
    "--page <number>": LISTS,
    "--page-token <token>": [...TRAILS, "operator lost", "tokens list", "webhooks deliveries"],
    "--per-page <number>": [
      ...[...LISTS, ...TRAILS, "operator lost", "tokens list", "usage top", "webhooks deliveries"],
    ],
    "--pepper <text>": FORMATS,
    "--policy <json>": ["keys policy set"],
    "--port <number>": ["webhooks listen"],
    "--prefix <text>": FORMATS,
    "--quiet": ["all"],
    "--rate-limit <limits>": KEY_VALUES,
    "--reason <reason>": ["requests list"],
    "--reason <text>": ["operator tenants suspend"],
    "--refused-file <path>": ["keys import"],
    "--request <request_id>": TRAILS,
    "--role <role>": ["orgs invitations create"],
    "--schema <name>": ["privileges postgres"],
    "--scope <scope>": [...KEY_VALUES, ...KEY_LISTS, "keys explain", "tokens derive", "whoami"],
    "--search <text>": KEY_LISTS,
    "--secret-file <path>": ["webhooks listen"],
    "--separator <text>": FORMATS,
    "--serving-role <name>": ["privileges postgres"],
    "--send-keys": ["keys import"],
    "--sort <order>": KEY_LISTS,
    "--status <status>": [...KEY_LISTS, "federation update", "webhooks deliveries", "webhooks update"],
    "--step <step>": ["keys usage", "operator keys usage", "usage series"],
    "--suspended": ["operator tenants list"],
    "--target <id>": EVENTS,
    "--tenant <tenant_id>": [
      ...[...CREATES, ...FORMATS, ...READERS, "operator audit list", "operator users erase"],
      ...["get", "list", "rotate", "update", "usage"].map((name) => `operator keys ${name}`),
    ],
    "--timeout <seconds>": ["all"],
    "--to <instant>": PERIODS,
    "--token-id <token_id>": ["requests list"],
    "--token-file <path>": ["all"],
    "--type <type>": [...CREATES, ...KEY_LISTS],
    "--url <url>": ["all"],
    "--user <name>": ["privileges redis"],
    "--user-token-file <path>": ["keys check-oidc"],
    "--value-file <path>": ["operator keys find"],
    "-V, --version": ["all"],
    "--verdict <verdict>": ["requests list"],
    "--webhook <webhook_id>": ["webhooks deliveries", "webhooks redeliver"],
    "--yes": ["operator tenants erase", "operator users erase"],
  };
  expect(found).toEqual(Object.fromEntries(Object.entries(expected).map(([flags, uses]) => [flags, [...uses].sort()])));
});

/** Each option with a value, and the command line up to it. What the command needs besides has some value. */
function emptied(command: Command, path: readonly string[] = []): [string, readonly string[]][] {
  const needed = command.options.filter(({ mandatory }) => mandatory);
  const args = [...command.registeredArguments].filter(({ required }) => required).map(() => "x");
  const valued = command.options.filter(({ required, optional }) => required || optional);
  const own = valued.map(({ long, flags }): [string, readonly string[]] => {
    const others = needed
      .filter((other) => other.long !== long)
      .flatMap((other) => [other.long ?? "", ...(other.required ? [someValue(other)] : [])]);
    return [`${path.join(" ")} ${flags}`, [...path, ...args, ...others, long ?? flags]];
  });
  return [
    ...(command.commands.length > 0 ? [] : own),
    ...command.commands.flatMap((child) => emptied(child, [...path, child.name()])),
  ];
}

function someValue({ argChoices, flags }: Option): string {
  return argChoices?.[0] ?? (flags.endsWith(" <number>") ? "20" : "x");
}

/** Options of which an empty text clears a field, which only describes a key or a webhook. */
const CLEARED_BY_EMPTY = [
  "keys update --description <text>",
  "keys update --external-id <text>",
  "operator keys update --description <text>",
  "operator keys update --external-id <text>",
  "webhooks update --description <text>",
];

async function refusalOf(args: readonly string[]): Promise<string> {
  const said: string[] = [];
  const terminal = { ...processTerminal(), out: () => {}, note: (text: string) => void said.push(text) };
  const quiet = createProgram({ env: {}, terminal });
  const silence = (each: Command): void => {
    each
      .exitOverride()
      .configureOutput({ writeErr: (text) => void said.push(text), outputError: (text) => void said.push(text) });
    for (const child of each.commands) silence(child);
  };
  silence(quiet);
  await quiet.parseAsync([...args], { from: "user" }).catch((err: unknown) => said.push(String(err)));
  return said.join("");
}

const GLOBALS = program.options.filter(({ required }) => required).map(({ long }) => ["whoami", long ?? ""]);
const EMPTIED = [...emptied(program), ...GLOBALS.map((args): [string, readonly string[]] => [args.join(" "), args])];

test("the options of all commands are walked", () => {
  expect(EMPTIED.length).toBeGreaterThan(100);
  for (const title of CLEARED_BY_EMPTY) expect(EMPTIED.map(([each]) => each)).toContain(title);
});

// threat: Q7
test.each(EMPTIED)(
  "%s is refused with its name where it is empty or blank, unless empty clears a field",
  async (title, args) => {
    for (const empty of ["", " ", "\t"]) {
      const refused = await refusalOf([...args, empty]);
      if (CLEARED_BY_EMPTY.includes(title)) expect(refused).not.toContain("is empty");
      else expect(refused, title).toMatch(new RegExp(`${args.at(-1)}\\b.* (is empty|is invalid)`));
    }
  },
);

test.each([
  ["keys", "revoke", ""],
  ["operator", "users", "erase", " ", "--tenant", "t", "--yes"],
  ["keys", "check-oidc", ""],
])("the argument of %s %s is refused where it is empty", async (...args) => {
  expect(await refusalOf(args)).toMatch(/<\w+> is empty/);
});
