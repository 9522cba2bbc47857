import pg from "pg";
import { expect, onTestFinished, test } from "vitest";
import { startFleet } from "../harness/fleet.ts";

const MISTAKES = [
  [
    "a column that has to be set",
    "alter table api_keys add column more int not null default 1; alter table api_keys alter more drop default",
  ],
  ["a check", "alter table api_keys add check (name = 'allowed') not valid"],
  [
    "a trigger that raises the row",
    `create function boom() returns trigger language plpgsql as $$ begin raise 'no %', new; end $$;
     create trigger boom before insert on api_keys for each row execute function boom()`,
  ],
  [
    "a trigger whose query fails",
    `create function boom() returns trigger language plpgsql as $$
     begin execute format('select %L::int', new.name); return new; end $$;
     create trigger boom before insert on api_keys for each row execute function boom()`,
  ],
] as const;

test.each(MISTAKES)("a row that PostgreSQL refuses for %s of the operator's is not in the log", async (_, mistake) => {
  const fleet = await startFleet("");
  onTestFinished(fleet.close);
  const replica = await fleet.start();
  const operator = new pg.Client({ connectionString: fleet.databaseUrl });
  await operator.connect();
  await operator.query(mistake);
  await operator.end();
  const named = { name: "PRIVATE", description: "PRIVATE", permissions: ["*"] };
  const answer = await replica.call("/api/v1/api-keys/create", named, await fleet.dashboard());
  expect(answer.status).toBe(500);
  const unforeseen = () => replica.log().filter(({ msg }) => msg === "unforeseen error");
  await expect
    .poll(unforeseen)
    .toEqual([
      expect.objectContaining({ err: expect.objectContaining({ code: expect.stringMatching(/^(23|22|P0)/) }) }),
    ]);
  expect(JSON.stringify(replica.log())).not.toMatch(/PRIVATE|Failing row|key_/);
});
