import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Callers, startCallers } from "./callers.ts";
import { createVenv, type Venv } from "./venv.ts";

/** Of gRPC's core in C++, which its clients for Ruby, PHP, C# and Objective-C also have. */
const PACKAGES = ["grpcio", "grpcio-health-checking"];

const PROGRAM = `
import concurrent.futures
import os
import time

import grpc
from grpc_health.v1 import health_pb2, health_pb2_grpc


def run(callers: int, calls: int, pause: float) -> None:
    with grpc.insecure_channel(os.environ["LATCHKEY_TARGET"]) as channel:
        client = health_pb2_grpc.HealthStub(channel)

        def call_all() -> int:
            lost = 0
            for _ in range(calls):
                try:
                    client.Check(health_pb2.HealthCheckRequest())
                except grpc.RpcError:
                    lost += 1
                time.sleep(pause)
            return lost

        with concurrent.futures.ThreadPoolExecutor(callers) as pool:
            lost = sum(future.result() for future in [pool.submit(call_all) for _ in range(callers)])
    print(f"{callers * calls} at {callers}: {lost} lost")


run(1, 500, 0.02)
run(20, 250, 0)
`;

let callers: Callers;
let venv: Venv;
beforeAll(async () => {
  venv = await createVenv(...PACKAGES);
  callers = await startCallers();
}, 300_000);
afterAll(async () => {
  await callers?.close();
  await venv?.remove();
});

test("a program with gRPC's core in C++ loses no call, with and without pauses", async ({ task }) => {
  await writeFile(join(venv.dir, "calls.py"), PROGRAM);
  const env = { LATCHKEY_TARGET: new URL(callers.url).host };
  expect(await venv.run("python", ["calls.py"], { cwd: venv.dir, env })).toBe("500 at 1: 0 lost\n5000 at 20: 0 lost\n");
  task.meta.figures = "0 of 5500 lost";
}, 170_000);
