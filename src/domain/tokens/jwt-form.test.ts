import { expect, test } from "vitest";
import { looksLikeJwt } from "./jwt-form.ts";

const header = (text: string) => Buffer.from(text).toString("base64url");

test.each([
  ["a signed token", `${header('{"alg":"RS256"}')}.e30.c2ln`, true],
  ["a header that begins with white space", `${header('\n {"alg":"none"}')}.e30.`, true],
  ["an encrypted token", `${header('{"alg":"dir","enc":"A256GCM"}')}..aXY.dGV4dA.dGFn`, true],
  ["another system's key with dots", "SG.q8dC22i7U3jNFHEqo6lcb9.xGLYmxNAdc", false],
  ["a header that is a list", `${header("[1]")}.e30.c2ln`, false],
  ["base64 of JSON without dots", header('{"org":"1","id":"2"}'), false],
  ["two parts", `${header("{}")}.e30`, false],
])("%s", (_, text, isJwt) => {
  expect(looksLikeJwt(text)).toBe(isJwt);
});
