// promise: audit.refusals
import { afterEach, describe, expect, test } from "vitest";
import { ACTOR } from "../../../test/harness/act.ts";
import { TestClock } from "../../../test/harness/test-clock.ts";
import type { RefusedCall } from "../../domain/audit/audit-trail.ts";
import { createRefusalRecorder, type OwnRefusals } from "./refusal-recorder.ts";

const opened: OwnRefusals[] = [];
afterEach(async () => {
  for (const recorder of opened.splice(0)) await recorder.close();
});

const CALL = {
  actor: ACTOR,
  address: null,
  requestId: "req_1",
  traceId: null,
  tenantId: "ten_1",
  rpc: "s/M",
  reason: "insufficient_scope",
};

function start() {
  const clock = new TestClock();
  const single: RefusedCall[] = [];
  const counted: RefusedCall[] = [];
  const errors: unknown[] = [];
  const store = { isDown: false, isFull: false };
  const refuseWhenDown = () => {
    if (store.isDown) throw new Error("down");
  };
  const recorder = createRefusalRecorder({
    audit: {
      async insertRefusal(refused) {
        refuseWhenDown();
        if (!store.isFull) single.push(refused);
        return !store.isFull;
      },
      async insertRefusals(refused) {
        refuseWhenDown();
        counted.push(refused);
      },
    },
    clock: clock.now,
    onError: (err) => void errors.push(err),
  });
  opened.push(recorder);
  return { recorder, clock, single, counted, errors, store };
}

describe("refused calls", () => {
  test("of one actor have ten events within a minute, and one with the number of the others", async () => {
    const { recorder, clock, single, counted } = start();
    for (let n = 0; n < 25; n++) recorder.record(CALL);
    await recorder.flush();
    expect(single).toHaveLength(10);
    expect(counted).toEqual([]);
    clock.advance(60_000);
    await recorder.flush();
    expect(counted).toEqual([{ ...CALL, rpc: "", count: 15 }]);
    await recorder.flush();
    expect(counted).toHaveLength(1);
  });

  test("of each actor and tenant are counted on their own", async () => {
    const { recorder, single } = start();
    const others = [
      { ...CALL, tenantId: "ten_2" },
      { ...CALL, actor: { ...ACTOR, userId: "user-2" } },
    ];
    for (const call of [CALL, ...others]) for (let n = 0; n < 11; n++) recorder.record(call);
    await recorder.settled();
    expect(single).toHaveLength(30);
  });

  test("that the store does not take one by one, as other replicas have stored ten, are counted", async () => {
    const { recorder, single, counted, store } = start();
    store.isFull = true;
    for (let n = 0; n < 3; n++) recorder.record(CALL);
    await recorder.flush(true);
    expect([single, counted]).toEqual([[], [{ ...CALL, rpc: "", count: 3 }]]);
  });

  test("during an outage are counted until they can be stored, and none is lost or counted twice", async () => {
    const { recorder, clock, single, counted, errors, store } = start();
    store.isDown = true;
    for (let n = 0; n < 12; n++) recorder.record(CALL);
    clock.advance(60_000);
    await recorder.flush();
    expect(errors).toHaveLength(11);
    store.isDown = false;
    clock.advance(60_000);
    await recorder.flush();
    expect([single, counted]).toEqual([[], [{ ...CALL, rpc: "", count: 12 }]]);
  });

  test("that are left when the process stops are stored then", async () => {
    const { recorder, counted } = start();
    for (let n = 0; n < 14; n++) recorder.record(CALL);
    await recorder.close();
    expect(counted).toEqual([{ ...CALL, rpc: "", count: 4 }]);
  });
});
