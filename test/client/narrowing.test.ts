// promise: json.narrowing-clients
import type { DescField } from "@bufbuild/protobuf";
import { Code, type ConnectError } from "@connectrpc/connect";
import { expect, test } from "vitest";
import { createLatchkeyClient, type LatchkeyClientOptions } from "../../clients/typescript/src/index.ts";
import { createGuard } from "../../clients/typescript/src/server/index.ts";
import { emptinessOf, membersThat } from "../harness/narrowing-members.ts";
import { bodyWithAlone, pathOf, type RequestMember } from "../harness/request-members.ts";

const BASE = { baseUrl: "https://api.example.com" };
let sent = 0;
const client = createLatchkeyClient({
  ...BASE,
  apiKey: "sk_x",
  retry: { attemptsMax: 1 },
  fetch: async () => {
    sent++;
    return new Response("{}", { status: 503 });
  },
});

type Calls = Readonly<Record<string, (request: object) => Promise<unknown>>>;

function callOf({ method }: RequestMember): (request: object) => Promise<unknown> {
  const services = Object.values(client).filter((one): one is Calls => typeof one === "object");
  const call = services.find((service) => method.localName in service)?.[method.localName];
  if (call === undefined) throw new Error(`the client lacks ${method.name}`);
  return call;
}

const localName = ({ localName: name }: DescField): string => name;

const MEMBERS = membersThat("narrows", "narrows by its value").map((member) => ({
  ...member,
  path: pathOf(member, localName),
  title: `${member.method.name} ${pathOf(member, localName)}`,
}));

// threat: Q7
test.each(MEMBERS)("$title is refused before a request is sent where it is null or empty", async (member) => {
  const isList = member.field.fieldKind === "list";
  const isText = member.field.fieldKind === "scalar" && emptinessOf(member.field) === "narrows";
  const isByAbsence = emptinessOf(member.field) === "narrows";
  for (const value of [null, ...(isByAbsence && isList ? [[]] : []), ...(isText ? [""] : [])]) {
    const err: ConnectError = await callOf(member)(bodyWithAlone(member, value, localName)).then(
      () => expect.fail("it was accepted"),
      (failure) => failure,
    );
    expect(err).toMatchObject({ code: Code.InvalidArgument });
    expect(err.rawMessage).toBe(
      `${member.path}: must not be ${value === null ? "null" : "empty"}; leave it out if nothing is to be narrowed`,
    );
  }
  expect(sent).toBe(0);
});

const RULE = `fed_${"0".repeat(32)}`;
const getAssertion = () => "eyJ";
const OF_CLIENT: Readonly<Record<string, object>> = {
  "onBehalfOf beside a key": { apiKey: "sk_x", onBehalfOf: "EMPTY" },
  "onBehalfOf beside an access token": { accessToken: "eyJ", onBehalfOf: "EMPTY" },
  "onBehalfOf beside federation": { federation: { rule: RULE, getAssertion }, onBehalfOf: "EMPTY" },
  "federation.scopes": { federation: { rule: RULE, getAssertion, scopes: "EMPTY" } },
};

test.each(Object.entries(OF_CLIENT))(
  "the client's %s is refused where it is null, empty or blank",
  (_name, options) => {
    for (const empty of [null, "", " ", [], [""], [" "], ["plans:read", ""]]) {
      const given = JSON.parse(JSON.stringify(options).replace('"EMPTY"', JSON.stringify(empty)));
      const federation = "federation" in given && { federation: { ...given.federation, getAssertion } };
      const make = () => createLatchkeyClient({ ...BASE, ...given, ...federation } as LatchkeyClientOptions);
      expect(make, JSON.stringify(empty)).toThrow(TypeError);
    }
  },
);

test("a guard refuses empty scopes and an empty resource; an empty list says that any caller may pass", () => {
  const guard = createGuard(BASE);
  for (const empty of ["", " ", null, [""], ["plans:read", ""]])
    expect(() => guard.node(empty as string), String(empty)).toThrow(TypeError);
  expect(() => guard.node([])).not.toThrow();
  for (const url of ["", " ", null]) {
    const resource = { url: url as string, authorizationServers: ["https://idp.example.com"] };
    expect(() => createGuard({ ...BASE, resource })).toThrow("resource.url");
    expect(() => createGuard({ ...BASE, resource: url as never })).toThrow(/resource/);
  }
});
