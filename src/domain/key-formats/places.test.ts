// promise: imported.places
import { globSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

const ROOT = fileURLToPath(new URL("../../../", import.meta.url));
const RECOGNIZERS =
  /\b(?:secretForm|SECRET_PATTERN|withoutCredentials|urlWithoutCredentials|looksLikeCredential|refuseKeyAsToken|refuseKeyInAuthorization|refuseKeyAsId|looksLikeKey)\b|\[sp\]k|\(\?:[sp]k/;

const SAME_REASON = "the reason for the denial is the same; only its sentence knows keys of this service";
const FREE_TEXT =
  "a text behind any prefix, or none, may be a word: only keys of this service are removed from free texts";
const OWN_ID = "keys of other systems are not ids, so that they are not found, and no log has them";

/** Each place that recognizes keys by their text, and what it does with a key of another system. */
const PLACES: Readonly<Record<string, string>> = {
  "console/src/keys/key-text.ts": "a page that takes the operator's search; the service decides",
  "src/cli/main.ts": FREE_TEXT,
  "src/cli/output/without-secrets.ts": FREE_TEXT,
  "src/domain/access-tokens/list.ts": OWN_ID,
  "src/domain/access/credentials.ts": SAME_REASON,
  "src/domain/access/impersonation.ts": "any text may be the id of a user, also one that fits a format",
  "src/domain/audit/changes.ts": FREE_TEXT,
  "src/domain/credentials/secret.ts": "it defines the form of this service's keys",
  "src/domain/federation/checked-rule.ts": OWN_ID,
  "src/domain/imports/secret-of-row.ts": "asks the formats",
  "src/domain/key-formats/any-key.ts": "asks the formats",
  "src/domain/key-formats/foreign-keys.ts": "asks the formats",
  "src/domain/keys/check-oidc.ts": SAME_REASON,
  "src/domain/keys/filter.ts": "a search finds keys by names and ids, and by the beginning of keys of this service",
  "src/domain/keys/read.ts": OWN_ID,
  "src/domain/keys/refused-secret.ts": "reached only by texts that fit no format",
  "src/domain/keys/search.ts": "asks the formats",
  "src/domain/leaks/report.ts": "asks the formats; removes the key that was reported from where it was found",
  "src/domain/requests/list.ts": OWN_ID,
  "src/domain/vocabulary/credential-pattern.ts": FREE_TEXT,
  "src/domain/vocabulary/request-fault.ts": FREE_TEXT,
  "src/interceptors/gate/dashboard-user.ts": "asks the formats before",
  "src/interceptors/gate/keys.ts": "asks the formats",
  "src/interceptors/gate/recent-request.ts": FREE_TEXT,
  "src/observability/log/key-set-log.ts": FREE_TEXT,
  "src/observability/tracing/request-spans.ts": FREE_TEXT,
  "src/store/sql/driver/postgres.ts": "a URL of the configuration, without its password",
  "src/transport/request/incoming-call.ts": "any text may be the id of a request, also one that fits a format",
};

test("each place that recognizes keys by their text is known, with what it does with keys of other systems", () => {
  const files = globSync(["src/**/*.{ts,tsx}", "console/src/**/*.{ts,tsx}"], { cwd: ROOT });
  const found = files
    .filter((file) => !file.includes(".test.") && RECOGNIZERS.test(readFileSync(`${ROOT}${file}`, "utf8")))
    .toSorted();
  expect(found).toEqual(Object.keys(PLACES));
});

test.each(Object.entries(PLACES).filter(([, what]) => what === "asks the formats"))("%s asks the formats", (file) => {
  expect(readFileSync(`${ROOT}${file}`, "utf8")).toMatch(/\b(?:hashOfKey|hashOf|hashOfBearer|formats\.find)\(/);
});
