import type { KeyFormat } from "../../src/domain/key-formats/key-format.ts";

/** A format of 43 to 48 base62 characters, unless it is given others. */
export function keyFormat(members: Partial<KeyFormat> = {}): KeyFormat {
  return {
    name: "acme",
    prefix: "",
    lengthMin: 43,
    lengthMax: 48,
    alphabet: "BASE62",
    case: "AS_SENT",
    algorithm: "SHA256",
    pepper: "",
    pepperFingerprint: "",
    hashedPart: "WHOLE",
    separator: "",
    isBearer: false,
    tenants: [],
    createdAt: new Date("2026-01-31T12:00:00.123Z"),
    ...members,
  };
}

interface Vector {
  readonly system: string;
  readonly text: string;
  readonly digest: string;
  readonly format: KeyFormat;
  readonly pepper?: string;
}

/** Keys of other systems with what those systems store of them: made by them, or by the formula of their source. */
export const VECTORS: readonly Vector[] = [
  {
    system: "better-auth",
    text: "acme_nkvtIuYpAJrRQJTdQbZYpPeHiEgOdkSdzZEWiyNpNgvXlguEeuXPuQMDfHsgPlGS",
    digest: "0swhNWtiIJyh7XJ35rVcW2yFa8AOMjZyz-lJMXlLCDA",
    format: keyFormat({ prefix: "acme_", lengthMin: 69, lengthMax: 69 }),
  },
  {
    system: "LiteLLM",
    text: "sk-Zm9vYmFyLWxpdGVsbG0tMDEyMw",
    digest: "e7fd541f015197e4e08a70df7644ef88db083612f2ee9dd6609b666af90c55fc",
    format: keyFormat({ prefix: "sk-", lengthMin: 25, lengthMax: 40, alphabet: "BASE64URL" }),
  },
  {
    system: "djangorestframework-api-key",
    text: "hPbxgHn0.q8dC22i7U3jNFHEqo6lcb9xGLYmxNAdc",
    digest:
      "36246480a398fc8638eca08028d887384f9cf3bc4802a3295335730b15cbbc461e529bf45070f3c4b9908113f6229c0d67a0278079711265c85c755fddbc23e4",
    format: keyFormat({ lengthMin: 41, lengthMax: 41, alphabet: "VISIBLE", algorithm: "SHA512" }),
  },
  {
    system: "prefixed-api-key",
    text: "acme_6dbQh3Mh_BQ8vsvJUwYwNv6wMTmYdJ7Rn",
    digest: "ea9e39e01390198057ae696918d15bfa821a58a707905d9316bb473385300057",
    format: keyFormat({
      ...{ prefix: "acme_", lengthMin: 38, lengthMax: 38, hashedPart: "AFTER_LAST" },
      separator: "_",
    }),
  },
  {
    system: "Strapi",
    text: "00112233445566778899aabbccddeeff".repeat(8),
    digest:
      "ef309c7a4c73d00107b31463f24165939d5e16593eadf66d17cb991bd5f27877bec394b389539d557297a927634354fe9c7722be8ef9b6ddef474a35ca24917a",
    format: keyFormat({
      ...{ lengthMin: 256, lengthMax: 256, alphabet: "HEX", algorithm: "HMAC_SHA512" },
      pepper: "strapi",
    }),
    pepper: "c3RyYXBpLXNhbHQ=",
  },
  {
    system: "Unkey",
    text: "unkey_3ZQ7eY1uV9pKxT5dRmWc8B",
    digest: "acw/w5BQ/eu07oDKcvs5PicTYhGAclFsCsiz7sVn5W8=",
    format: keyFormat({ prefix: "unkey_", lengthMin: 28, lengthMax: 28 }),
  },
  {
    system: "Sanctum",
    text: "42|7hQ2mVx9KcT4bNf8RzL1sWp6YdG3jUe5oAiMqXvBc3c178de",
    digest: "6463ea84ee1c477b3a788d74569c643c1da3b3fb6c32b232c4f480f30a95467a",
    format: keyFormat({ lengthMin: 50, lengthMax: 70, hashedPart: "AFTER_LAST", separator: "|" }),
  },
  {
    system: "GitLab",
    text: "glpat-Ab12Cd34Ef56Gh78Ij90",
    digest: "81iFi9KTFJIjqIVxX7v+wuC0jc4HVQRiY91ho3Q4eK0=",
    format: keyFormat({
      ...{ prefix: "glpat-", lengthMin: 26, lengthMax: 26, alphabet: "BASE64URL", algorithm: "SHA256_SUFFIX" },
      pepper: "gitlab",
    }),
    pepper: "0123456789abcdef0123456789abcdef",
  },
  {
    system: "Sentry",
    text: "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",
    digest: "97675f7b0e8adb8b9f79e8af9e5ef7a420ce4a3492e96a0f03681408e63569b0",
    format: keyFormat({ prefix: "sntryu_", lengthMin: 71, lengthMax: 71, alphabet: "HEX" }),
  },
  {
    system: "a platform of its own",
    text: "sk_live_4eC39HqLyjWDarjtT1zdp7dcXk20Ab91",
    digest: "1ad9d99b4e8cf23f8de3ededda1b73847c8b5b49f5613cbb79d275f069fffc26",
    format: keyFormat({ prefix: "sk_live_", lengthMin: 40, lengthMax: 40 }),
  },
  {
    system: "a platform with a pepper",
    text: "acme_3f9a1c5e7b2d4f60819a2b3c4d5e6f70",
    digest: "1659c4dad94825f4b0700df18a912ef663d04e1886722f627de6c0a04ecb6ec9",
    format: keyFormat({
      ...{ prefix: "acme_", lengthMin: 37, lengthMax: 37, alphabet: "HEX", algorithm: "HMAC_SHA256" },
      pepper: "acme",
    }),
    pepper: "pepper-for-tests",
  },
];
