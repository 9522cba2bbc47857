// promise: errors.links
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { DENIALS, Denial, type DenialReason, errorPageOf } from "../../src/domain/vocabulary/denial.ts";
import { ERROR_REASONS } from "../../src/domain/vocabulary/error-reason.ts";
import { createErrorTranslator } from "../../src/interceptors/errors.ts";
import { faultAnswer, TRANSPORT_FAULTS, type TransportFault } from "../../src/transport/answer/envelope.ts";
import { asProblem } from "../../src/transport/answer/problem.ts";
import { type Latchkey, startLatchkey } from "../harness/latchkey.ts";

const DOCS_URL = "https://keys.example/latchkey";
const REASONS = Object.keys(DENIALS) as DenialReason[];

/** The link at the end of a message. */
const linkIn = (message: string): string | undefined => / See (\S+)$/.exec(message)?.[1];

function messageOf(reason: DenialReason, docsUrl?: string): string {
  const call = { requestId: "req_1" } as Parameters<ReturnType<typeof createErrorTranslator>>[1];
  return createErrorTranslator(() => {}, docsUrl)(new Denial(reason), call).rawMessage;
}

describe.each([
  ["one port", null],
  ["a port for operators", 0],
])("with %s", (_name, adminPort) => {
  let latchkey: Latchkey;
  beforeAll(async () => {
    latchkey = await startLatchkey({ config: { adminPort } });
  });
  afterAll(() => latchkey.close());

  test("each link of each error leads to its section, on the port that answered", async () => {
    const problems = Object.keys(TRANSPORT_FAULTS).map(
      (fault) => asProblem(faultAnswer(fault as TransportFault), "application/problem+json", "").body,
    );
    const links = [
      ...REASONS.map((reason) => linkIn(messageOf(reason)) ?? `no link: ${reason}`),
      ...Object.keys(ERROR_REASONS).map((reason) => errorPageOf(reason)),
      ...problems.map((body): string => JSON.parse(body.toString()).type),
    ];
    for (const url of [latchkey.url, latchkey.adminUrl ?? latchkey.url]) {
      const pages = new Map<string, string>();
      for (const link of new Set(links)) {
        const { origin, pathname, hash } = new URL(link, url);
        const page = pages.get(pathname) ?? (await (await fetch(origin + pathname)).text());
        pages.set(pathname, page);
        expect(page, link).toContain(`id="${hash.slice(1)}"`);
      }
    }
  });

  test("what the page of errors links to and loads is on the port that has it", async () => {
    for (const url of [latchkey.url, latchkey.adminUrl ?? latchkey.url]) {
      const html = await (await fetch(`${url}/docs/errors`)).text();
      for (const [, address = ""] of html.matchAll(/(?:href|src)="([^#"][^"]*)"/g)) {
        if (address.startsWith("data:")) continue;
        expect([address, (await fetch(new URL(address, `${url}/docs/errors`))).status]).toEqual([address, 200]);
      }
    }
  });

  // threat: B27
  test("what a proxy passes on names no page of a host that its client does not know", async () => {
    for (const accept of ["*/*", "application/problem+json"]) {
      const response = await fetch(`${latchkey.url}/auth/check`, { headers: { accept } });
      const { message, detail = message, type = "about:blank" } = JSON.parse(await response.text());
      expect([response.status, type, linkIn(detail)]).toEqual([401, "about:blank", undefined]);
      expect(linkIn(JSON.parse(response.headers.get("x-auth-denial") ?? "{}").message)).toBeUndefined();
    }
  });
});

test("with DOCS_URL, all errors name the page there, also those that a proxy passes on", async () => {
  const latchkey = await startLatchkey({ config: { docsUrl: DOCS_URL } });
  try {
    const response = await fetch(`${latchkey.url}/auth/check`, { headers: { accept: "application/problem+json" } });
    const { type, detail } = JSON.parse(await response.text());
    expect([type, linkIn(detail)]).toEqual(Array(2).fill(`${DOCS_URL}/docs/errors#missing_credentials`));
  } finally {
    await latchkey.close();
  }
  for (const reason of REASONS) expect(linkIn(messageOf(reason, DOCS_URL))).toBe(`${DOCS_URL}/docs/errors#${reason}`);
});
