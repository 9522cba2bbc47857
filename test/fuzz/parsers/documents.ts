import { verifyWebhook, WebhookVerificationError } from "../../../clients/typescript/src/server/webhooks.ts";
import { discoverTenantsKeySet } from "../../../src/domain/tokens/discovery.ts";
import { signatureHeaders } from "../../../src/domain/webhooks/signature.ts";
import { fetchDocument } from "../../../src/store/jwks/provider-document.ts";
import { createScannerKeys } from "../../../src/store/jwks/scanner-keys.ts";
import { holds, type Parser } from "./parser.ts";
import { NOW } from "./tokens.ts";

const ISSUER = "https://a.example";
const METADATA = JSON.stringify({ issuer: ISSUER, jwks_uri: `${ISSUER}/jwks.json` });
const PEM =
  "-----BEGIN PUBLIC KEY-----\nMFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEf83OJ3D2xF1Bg8vub9tLe1gHMzV7\n6e8Tus9uPHvRVEXH8UTNG72bfocs3+257rn0s2ldbqkLJK2KRiMohYjlrQ==\n-----END PUBLIC KEY-----\n";

/** Documents that are fetched. The first byte says what: a provider's metadata, or the keys of a scanner. */
const fetched: Parser = {
  seeds: [
    `0${METADATA}`,
    ...['{"issuer":"https://A.example"}', "[]", "<html>", `{"issuer":"${ISSUER}","jwks_uri":"http://10.0.0.1"}`].map(
      (text) => `0${text}`,
    ),
    `1${JSON.stringify({ public_keys: [{ key_identifier: "a", key: PEM, is_current: true }] })}`,
    '1{"public_keys":[{"key_identifier":"a","key":"-----BEGIN"},null]}',
  ],
  words: [
    '"issuer":"',
    '"jwks_uri":"',
    '"public_keys":[',
    '"key":"',
    "-----BEGIN PUBLIC KEY-----\\n",
    "https://10.0.0.1",
  ],
  async parse(bytes) {
    const text = bytes.subarray(1).toString();
    const fetchText = async () => text;
    if (bytes[0] === 0x31) {
      const keys = createScannerKeys({ url: ISSUER, fetchText, clock: () => NOW, onFailure: () => {} });
      const key = await keys.find("a").catch(() => undefined);
      holds(key === undefined || key.asymmetricKeyType === "ec", "a scanner's key is of its kind");
      return;
    }
    const providers = { fetchDocument: (url: string, owner: never) => fetchDocument(fetchText, url, owner) };
    const found = await discoverTenantsKeySet(
      { providers, jwksAllowedHosts: [], isOwnIssuer: () => false },
      "ten_1",
      ISSUER,
    );
    if ("problem" in found) return holds(/^[\x20-\x7e]{1,600}$/.test(found.problem), "a problem is our own text");
    holds(found.jwksUrl.startsWith("https://"), "a key set is fetched over https");
  },
};

const SECRET = `whsec_${Buffer.alloc(32, 7).toString("base64")}`;
const EVENT = JSON.stringify({ type: "api_key.created", timestamp: NOW.toISOString(), data: { key_id: "key_1" } });
const HEADERS = signatureHeaders("evt_1", NOW, EVENT, [SECRET]);
const SIGNED = `${Object.values(HEADERS).join("\n")}\n${EVENT}`;

/** What the receiver of our webhooks is sent: three headers, and the body. */
const webhookEvent: Parser = {
  seeds: [
    SIGNED,
    `${SIGNED} `,
    ...["[]", "{}", '{"type":"a","timestamp":"x","data":{}}'].map((body) =>
      [...Object.values(signatureHeaders("evt_1", NOW, body, [SECRET])), body].join("\n"),
    ),
    "evt_1\n1\nv1,AAAA v2,BBBB\n{}",
  ],
  words: ["v1,", "v1,AAAA ", "=", "1767225600", "\n"],
  async parse(bytes) {
    const [id = "", timestamp = "", signature = "", ...body] = bytes.toString("latin1").split("\n");
    const headers = { "webhook-id": id, "webhook-timestamp": timestamp, "webhook-signature": signature };
    const options = { headers, body: Buffer.from(body.join("\n"), "latin1"), secret: SECRET, now: NOW };
    try {
      const event = await verifyWebhook(options);
      holds(event.id === "evt_1" && body.join("\n") === EVENT, "only what is signed is an event");
    } catch (err) {
      // What a receiver catches.
      if (!(err instanceof WebhookVerificationError)) throw err;
    }
  },
};

export const DOCUMENTS = { fetched, "webhook-event": webhookEvent };
