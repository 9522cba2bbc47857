// promise: dpop.checks
import { describe, expect, test } from "vitest";
import { forwardedTarget } from "./forwarded-target.ts";

const FORWARDED = {
  "X-Forwarded-Method": "GET",
  "X-Forwarded-Proto": "https",
  "X-Forwarded-Host": "app.example",
  "X-Forwarded-Uri": "/plans?page=2",
};
const ORIGINAL = { "X-Original-Method": "GET", "X-Original-URL": "https://app.example/plans?page=2" };
const TARGET = { method: "GET", url: "https://app.example/plans?page=2" };

function targetOf(...headers: Record<string, string>[]) {
  return forwardedTarget(headers.flatMap((each) => Object.entries(each).flat()));
}

describe("a proxy describes its client's request", () => {
  test.each<readonly [string, Record<string, string>[]]>([
    ["as Traefik and Caddy do", [FORWARDED]],
    ["as ingress-nginx does", [ORIGINAL]],
    ["as both do, if they agree", [FORWARDED, ORIGINAL]],
  ])("%s", (_how, headers) => {
    expect(targetOf({ Host: "latchkey", "X-Forwarded-For": "192.0.2.1" }, ...headers)).toEqual(TARGET);
  });
});

describe("no request is described", () => {
  test("without all of its parts", () => {
    for (const headers of [FORWARDED, ORIGINAL]) {
      for (const name of Object.keys(headers)) {
        expect(
          targetOf(Object.fromEntries(Object.entries(headers).filter(([one]) => one !== name))),
          name,
        ).toBeUndefined();
      }
    }
  });

  test("by two descriptions that differ", () => {
    expect(targetOf(FORWARDED, { ...ORIGINAL, "X-Original-Method": "POST" })).toBeUndefined();
    expect(targetOf(FORWARDED, { ...ORIGINAL, "X-Original-URL": "https://app.example/users" })).toBeUndefined();
  });

  test("by a header that was sent twice", () => {
    for (const headers of [FORWARDED, ORIGINAL]) {
      for (const [name, value] of Object.entries(headers)) {
        expect(targetOf(headers, { [name.toLowerCase()]: value }), name).toBeUndefined();
      }
    }
  });

  test("by only a path, which would be one of this service", () => {
    expect(targetOf({ ...ORIGINAL, "X-Original-URL": "/plans" })).toBeUndefined();
  });
});
