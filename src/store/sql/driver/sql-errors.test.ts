import { describe, expect, test } from "vitest";
import { StoreUnavailable } from "../../../domain/vocabulary/store-unavailable.ts";
import { translateOutage } from "./sql-errors.ts";

const failing = (err: Error) =>
  translateOutage(() => Promise.reject(err)).then(
    () => undefined,
    (thrown: unknown) => thrown,
  );

describe("the storage is unavailable", () => {
  test.each(["EMFILE", "ENFILE", "ENOBUFS", "ENOMEM", "EADDRNOTAVAIL", "EADDRINUSE"])(
    "where this machine has no room for a connection: %s",
    async (code) => {
      const err = Object.assign(new Error(`connect ${code}`), { code, syscall: "connect" });
      expect(await failing(err)).toMatchObject({ name: "StoreUnavailable", cause: err });
    },
  );

  test.each([
    "ENETDOWN",
    "ENETUNREACH",
    "ENONET",
    "EHOSTDOWN",
    "EHOSTUNREACH",
    "EAFNOSUPPORT",
    "EACCES",
    "EPERM",
    "EAGAIN",
    "EPROTO",
  ])("where its host cannot be reached: %s", async (code) => {
    expect(await failing(Object.assign(new Error(`connect ${code}`), { code }))).toBeInstanceOf(StoreUnavailable);
  });

  test.each(["EAI_AGAIN", "EAI_FAIL", "EAI_MEMORY", "ENOTFOUND"])("where its name has no address: %s", async (code) => {
    expect(await failing(Object.assign(new Error(`getaddrinfo ${code}`), { code }))).toBeInstanceOf(StoreUnavailable);
  });

  test.each(["EPIPE", "ENOTCONN", "ESHUTDOWN", "ECONNRESET", "ETIMEDOUT"])(
    "where a connection ended: %s",
    async (code) => {
      expect(await failing(Object.assign(new Error(`write ${code}`), { code }))).toBeInstanceOf(StoreUnavailable);
    },
  );
});

test.each(["EINVAL", "EBADF", "ENOTSOCK", "EAI_BADFLAGS", "ERR_INVALID_ARG_TYPE", "22P02", "23505", "42601"])(
  "a mistake of ours is not taken for an outage: %s",
  async (code) => {
    const err = Object.assign(new Error("no"), { code });
    expect(await failing(err)).toBe(err);
  },
);
