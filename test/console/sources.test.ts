import { readdir, readFile } from "node:fs/promises";
import type { DescMessage, DescMethod } from "@bufbuild/protobuf";
import { expect, test } from "vitest";
import { LABELS } from "../../console/src/api/sentences.ts";
import { SERVICES } from "../harness/services.ts";
import { SHOWN_SECRETS } from "./shown-secrets.ts";

/** The console's sources by their paths. */
const sources = new Map<string, string>();
for (const path of await readdir("console/src", { recursive: true })) {
  if (/\.tsx?$/.test(path)) sources.set(path, await readFile(`console/src/${path}`, "utf8"));
}
const methods = SERVICES.flatMap(({ name, methods }) =>
  methods.map((method) => ({ method, mention: `${name}.method.${method.localName}` })),
);
/** How the console calls a method: the hook or function before its name, once for each place. */
const callsOf = (mention: string): string[] =>
  [...sources.values()].flatMap((text) =>
    [...text.matchAll(new RegExp(`(\\w+)\\(\\s*(?:transport,\\s*)?${mention.replaceAll(".", "\\.")}\\b`, "g"))].map(
      ([, hook = ""]) => hook,
    ),
  );

/** Whether an answer holds what is shown once: members that no log has. */
function hasSecret(message: DescMessage): boolean {
  return message.fields.some(
    (field) => field.proto.options?.debugRedact === true || (field.fieldKind === "message" && hasSecret(field.message)),
  );
}

const isCreation = ({ name, input }: DescMethod): boolean =>
  /^(?:Create|Rotate|Derive)/.test(name) || "clientRequestId" in input.field || "clientOrgId" in input.field;

test("each call that makes something goes by the mutation that repeats it with its id", () => {
  const creations = methods.filter(({ method, mention }) => isCreation(method) && callsOf(mention).length > 0);
  expect(creations.map(({ method }) => method.name)).toEqual(
    expect.arrayContaining(["CreateApiKey", "RotateApiKey", "CreateOrg", "CreateInvitation", "CreateWebhook"]),
  );
  for (const { mention } of creations) expect(new Set(callsOf(mention)), mention).toEqual(new Set(["useCreation"]));
});

test("each call whose answer has a secret is among those whose secret is guarded", () => {
  const shown = methods.filter(({ method, mention }) => hasSecret(method.output) && callsOf(mention).length > 0);
  expect(shown.map(({ method }) => method.name).sort()).toEqual(Object.keys(SHOWN_SECRETS).sort());
});

test("each member that has a label is one of a request of the console's, as errors spell it", () => {
  const called = methods.filter(({ mention }) => callsOf(mention).length > 0);
  const members = new Set(called.flatMap(({ method }) => method.input.fields.map(({ jsonName }) => jsonName)));
  expect(Object.keys(LABELS).filter((name) => !members.has(name))).toEqual([]);
});

/** Forms that lose nothing which was worth typing twice, with the reason. */
const UNGUARDED: Readonly<Record<string, string>> = {
  "keys/revoke-key.tsx": "a name that is typed to confirm",
  "operator/erase-tenant.tsx": "a name that is typed to confirm",
  "keys/rotate-key.tsx": "one number, with a default",
  "members/invitation-page.tsx": "a link that was pasted",
  "operator/found-keys.tsx": "a search",
  "workloads/assertion-check.tsx": "a token that was pasted, and must be forgotten",
  // Their pages have the draft, and the guard.
  "keys/key-form.tsx": "the draft of new-key-page.tsx and edit-key-page.tsx",
  "workloads/rule-form.tsx": "the draft of new-rule-page.tsx and edit-rule-page.tsx",
};

test("each form asks before what was typed is lost", () => {
  const forms = [...sources].filter(([, text]) => /<form\b/.test(text));
  const unguarded = forms.filter(([, text]) => !text.includes("useUnsaved(")).map(([path]) => path);
  expect(unguarded.sort()).toEqual(Object.keys(UNGUARDED).sort());
  for (const page of ["new-key-page", "edit-key-page"])
    expect(sources.get(`keys/${page}.tsx`)).toContain("useUnsaved(");
  for (const page of ["new-rule-page", "edit-rule-page"])
    expect(sources.get(`workloads/${page}.tsx`)).toContain("useUnsaved(");
});

test("each list that keeps what was asked for before says so while it does", () => {
  const keeping = [...sources].filter(([, text]) => /placeholderData: keepPreviousData/.test(text));
  expect(keeping.length).toBeGreaterThan(10);
  // Names come one after the other, and none becomes wrong.
  const unmarked = keeping.filter(([, text]) => !/isPlaceholderData|<EventList\b/.test(text)).map(([path]) => path);
  expect(unmarked).toEqual(["requests/key-names.ts"]);
});
