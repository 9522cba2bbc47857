import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { readConfig } from "./config.ts";

const FILE = fileURLToPath(import.meta.url);
const SERVER = "postgres://u:hunter2@db/x";

function storage(url: string) {
  return readConfig({ DATABASE_URL: url }).storage;
}

/** The lines of what is wrong. */
function mistakes(url: string): string[] {
  try {
    storage(url);
    return [];
  } catch (err) {
    return String(err).split("\n  - ").slice(1);
  }
}

test.each([
  ...["u:123#hunter2@db/x", "hunter2?x@db/x", "u:123/hunter2@db/x", "localhost:5432?hunter2@db/x"],
  ...["u:p@db/x?password=hunter2#y", "u:p@db/x#", "u:hunter2%00@db/x", "u:p@db/x?host=h%00"],
])("no part of a user name or password is taken for the server: %s", (rest) => {
  expect(mistakes(`postgres://${rest}`)).toEqual([
    "DATABASE_URL must have its user name and password percent-encoded; / ? # @ % in a user name or password are written %2F %3F %23 %40 %25",
  ]);
});

describe("several hosts", () => {
  test.each(["", "?target_session_attrs=read-write", "?target_session_attrs=primary"])(
    "are handed on without %j, which holds for the service anyway",
    (query) => {
      const url = "postgres://u:hunter2@a:5432,b:5433,[::1]/x";
      expect(storage(url + query)).toMatchObject({ url });
    },
  );

  test.each([
    ["postgres://u:hunter2@a,b:99999/x", "must name a host, and no port above 65535"],
    ["postgres://u:hunter2@a,/x", "must name a host, and no port above 65535"],
    [
      "postgres://u:hunter2@a,b/x?target_session_attrs=any",
      "must have one of read-write, primary as its parameter target_session_attrs",
    ],
    [
      "postgres://u:hunter2@a/x?target_session_attrs=standby",
      "must have one of read-write, primary as its parameter target_session_attrs",
    ],
  ])("are refused where one is wrong: %s", (url, problem) => {
    expect(mistakes(url)).toEqual([expect.stringContaining(`DATABASE_URL ${problem}`)]);
    expect(mistakes(url).join()).not.toContain("hunter2");
  });
});

describe("a parameter", () => {
  test.each([
    ...["host=/folder", "port=6543", "user=a%40b&password=c%23d", "application_name=x", "options=-c%20work_mem%3D8MB"],
    ...["ssl=true", "ssl=1", "ssl=0", "sslmode=disable", "sslmode=require&uselibpqcompat=true", "sslmode=no-verify"],
    `sslmode=verify-full&sslrootcert=${FILE}&sslcert=${FILE}&sslkey=${FILE}&sslnegotiation=direct`,
    ...["schema=public", "channel_binding=require"],
  ])("may be %s, and is handed on as it is", (query) => {
    expect(storage(`${SERVER}?${query}`)).toMatchObject({ url: `${SERVER}?${query}` });
  });

  test("ssl=false is handed on in the one way that the driver knows", () => {
    expect(storage(`${SERVER}?ssl=false`)).toMatchObject({ url: `${SERVER}?ssl=0` });
  });

  test.each([
    ["port=99999999", "an integer from 1 to 65535 as its parameter port"],
    ["port=hunter2", "an integer from 1 to 65535 as its parameter port"],
    ["port=0", "an integer from 1 to 65535 as its parameter port"],
    ["port=", "an integer from 1 to 65535 as its parameter port"],
    ["ssl=require", "true, false, 1 or 0 as its parameter ssl; for anything else write sslmode="],
    ["ssl=verify-full", "true, false, 1 or 0 as its parameter ssl; for anything else write sslmode="],
    ["ssl=no", "true, false, 1 or 0 as its parameter ssl; for anything else write sslmode="],
    ["sslmode=hunter2", "verify-ca, verify-full as its parameter sslmode"],
    ["sslmode=VERIFY-FULL", "verify-ca, verify-full as its parameter sslmode"],
    ["sslmode=", "verify-ca, verify-full as its parameter sslmode"],
    ["sslmod=verify-full", "without parameters that begin with ssl, except ssl, sslmode, "],
    ["SSLMODE=verify-full", "without parameters that begin with ssl, except ssl, sslmode, "],
    ["sslrootcert=/hunter2", "a file that can be read as its parameter sslrootcert"],
    ["sslcert=/", "a file that can be read as its parameter sslcert"],
    ["sslkey=", "a file that can be read as its parameter sslkey"],
    ["sslmode=disable&sslmode=verify-full", "no parameter twice"],
    ["database=hunter2", "without the parameter database; the database is named after the host"],
    ["dbname=hunter2", "without the parameter dbname; the database is named after the host"],
    ["hostaddr=10.0.0.1", "without the parameter hostaddr; an address is written in the place of the host"],
    ["service=hunter2", "without the parameter service; the server is named in the URL itself"],
    ["replication=database", "without the parameter replication"],
    ["statement_timeout=0", "without the parameter statement_timeout; the service sets its own time limits"],
    ["lock_timeout=0", "without the parameter lock_timeout; the service sets its own time limits"],
    ["idle_in_transaction_session_timeout=0", "the service sets its own time limits"],
    ["query_timeout=0", "without the parameter query_timeout; the service sets its own time limits"],
  ])("that cannot work, would be passed over or would win over ours is refused: %s", (query, problem) => {
    const lines = mistakes(`${SERVER}?${query}`);
    expect(lines).toEqual([expect.stringMatching(/^DATABASE_URL must /)]);
    expect(lines[0]).toContain(problem);
    expect(lines[0]).not.toContain("hunter2");
  });

  test("that is wrong is reported together with all other mistakes", () => {
    expect(mistakes(`${SERVER}?ssl=require&port=abc&hostaddr=x&sslcert=`)).toHaveLength(4);
  });
});
