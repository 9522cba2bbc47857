import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { expect } from "vitest";
import { startGatewayFleet } from "../harness/gateway-fleet.ts";
import type { JsonObject } from "../harness/http.ts";
import { replies, startModel } from "../harness/model.ts";

export interface CrashTest {
  readonly replicas: number;
  readonly conversations: number;
  readonly messagesEach: number;
  readonly kills: number;
  /** Pause between two kills. */
  readonly pauseMs: number;
  /** The longest delay of a reply of the model. */
  readonly thinkMs: number;
  readonly leaseMs: number;
}

/**
 * Sends messages to conversations at once, kills replicas meanwhile, and checks that each message got one reply, in
 * order. Each call is retried until it is answered, as a caller may do that gave the message an id.
 */
export async function crashTest(test: CrashTest): Promise<{ asked: number; interrupted: number }> {
  const model = await startModel((res, request) => {
    setTimeout(() => replies()(res, request), Math.random() * test.thinkMs);
  });
  const replicas = await startGatewayFleet(test.replicas, model, {
    TEST_RUN_LEASE_MS: String(test.leaseMs),
  });
  try {
    const keys = Array.from({ length: test.conversations }, (_, n) => `conversation ${n}`);
    const texts = Array.from({ length: test.messagesEach }, (_, n) => `message ${n}`);
    await Promise.all([
      ...keys.map(async (key) => {
        for (const text of texts) await replicas.call("send-message", message(key, text));
      }),
      killAgainAndAgain(test, (place) => replicas.kill(place)),
    ]);
    for (const key of keys) {
      expect(await ended(key)).toEqual(texts.flatMap((text) => [text, `reply to ${text}`]));
    }
    return { asked: model.requests.length, ...(await readRuns(replicas.databaseUrl, keys.length * texts.length)) };
  } finally {
    await replicas.close();
    await model.close();
  }

  async function ended(key: string): Promise<string[]> {
    for (;;) {
      const state = await replicas.call("get-conversation-state", { conversation_key: key, wait_ms: 5_000 });
      if (state.status === "CONVERSATION_STATUS_IDLE") {
        return state.messages.map((each: JsonObject) => each.content[0].content);
      }
    }
  }
}

function message(conversation_key: string, text: string): JsonObject {
  return {
    conversation_key,
    client_message_id: `${conversation_key}, ${text}`,
    user_message: { role: "ROLE_USER", content: [{ type: "CONTENT_PART_TYPE_TEXT", content: text }] },
  };
}

async function killAgainAndAgain(test: CrashTest, kill: (place: number) => Promise<void>): Promise<void> {
  const restarts = Array.from({ length: test.replicas }, () => Promise.resolve());
  for (let n = 0; n < test.kills; n++) {
    await sleep(test.pauseMs);
    const place = n % test.replicas;
    // A replica that is still starting is killed once it has started: before, a kill would hit nothing.
    restarts[place] = (restarts[place] ?? Promise.resolve()).then(() => kill(place));
  }
  await Promise.all(restarts);
}

/** How often a run was interrupted, which the API does not show. */
async function readRuns(databaseUrl: string, count: number): Promise<{ interrupted: number }> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  const { rows } = await client.query(
    `select count(*)::int as runs, count(*) filter (where status = 'completed')::int as completed,
       sum(attempts - 1)::int as interrupted,
       (select count(*)::int from messages where role = 'assistant') as replies
     from runs`,
  );
  await client.end();
  expect(rows[0]).toMatchObject({ runs: count, completed: count, replies: count });
  return rows[0];
}
