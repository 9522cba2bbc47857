import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Latchkey, newTenant, startLatchkey } from "../harness/latchkey.ts";
import { freePort } from "../servers/free-port.ts";
import { installPacked, type PackedProject } from "./packed-project.ts";

// Route handlers and hooks in Next.js itself, built and started as its users do, with the packed client: in the newest versions, and
// in the oldest majors among the package's peers. About 350 MB each.

const TOOLS = ["typescript@5.9.3", "@types/node@24.19.2"];
const VERSIONS = [
  ["16", ["next@16.4.6", "react@19.3.1", "react-dom@19.3.1", "@types/react@19.3.0"], "RouteContext"],
  // Before 15.5, Next.js makes no type of a route's context.
  ["15", ["next@15.5.29", "react@18.3.1", "react-dom@18.3.1", "@types/react@18.3.31"], "OwnContext"],
] as const;
const START_TIMEOUT_MS = 180_000;
const EDGE = 'export const runtime = "edge";';
const route = (path: string, context: string, head: string) => `
  import { callerOf, createGuard, type Guarded } from "@latchkey/client/next";
  import type { NextRequest } from "next/server";
  ${head}
  const guard = createGuard({ baseUrl: process.env.LATCHKEY_URL ?? "" });
  type OwnContext<_Path> = { params: Promise<{ planId: string }> };
  type Context = Guarded<${context}<"${path}/[planId]">>;
  export const GET = guard("plans:read", async (request: NextRequest, { params, caller }: Context) => {
    const { planId } = await params;
    const isCaller = callerOf(request) === caller;
    const claims = [...request.headers.keys()].filter((name) => name.startsWith("x-auth"));
    const seen = [request.nextUrl.pathname, request.cookies.get("theme")?.value];
    return Response.json({ planId, seen, tenantId: caller.tenantId, isCaller, claims });
  });
  export const POST = guard("plans:read", async (request) => Response.json(await request.json()), { cost: 4 });`;
/** As `create-next-app` writes it; what Next.js 15 makes by itself knows no `exports` of packages. */
const TSCONFIG = {
  compilerOptions: {
    target: "ES2017",
    lib: ["dom", "dom.iterable", "esnext"],
    skipLibCheck: true,
    strict: true,
    noEmit: true,
    esModuleInterop: true,
    module: "esnext",
    moduleResolution: "bundler",
    resolveJsonModule: true,
    isolatedModules: true,
    jsx: "preserve",
    incremental: true,
    plugins: [{ name: "next" }],
  },
  include: ["next-env.d.ts", "**/*.ts", "**/*.tsx", ".next/types/**/*.ts"],
  exclude: ["node_modules"],
};
const files = (context: string) => ({
  "tsconfig.json": JSON.stringify(TSCONFIG),
  "app/layout.tsx": `export default function Layout({ children }: { children: React.ReactNode }) {
    return <html lang="en"><body>{children}</body></html>;
  }`,
  "app/page.tsx": `import { Threads } from "./threads";
  export default function Page() { return <Threads />; }`,
  "app/threads.tsx": `"use client";
  import { LatchkeyProvider, useThreads } from "@latchkey/client/react";
  function List() { return <p>{useThreads().isLoading ? "Loading threads" : "Threads"}</p>; }
  export function Threads() {
    return <LatchkeyProvider baseUrl="https://latchkey.example.com" getUserToken={() => "token"}><List /></LatchkeyProvider>;
  }`,
  "app/plans/[planId]/route.ts": route("/plans", context, ""),
  "app/edge/[planId]/route.ts": route("/edge", context, EDGE),
});

describe.each(VERSIONS)("with Next.js %s", (_version, packages, context) => {
  let latchkey: Latchkey;
  let project: PackedProject;
  let next: ChildProcess;
  let url: string;

  beforeAll(async () => {
    [latchkey, project] = await Promise.all([startLatchkey(), installPacked(...packages, ...TOOLS)]);
    for (const [name, text] of Object.entries(files(context))) {
      const path = join(project.folder, name);
      await mkdir(dirname(path), { recursive: true });
      await writeFile(path, text);
    }
    const env = {
      PATH: process.env.PATH,
      LATCHKEY_URL: latchkey.url,
      NEXT_TELEMETRY_DISABLED: "1",
      NODE_ENV: "production",
    };
    const command = join(project.folder, "node_modules/next/dist/bin/next");
    // Type-checks the handlers, too.
    await promisify(execFile)(process.execPath, [command, "build"], { cwd: project.folder, env }).catch((err) => {
      throw new Error(`next build: ${err.stdout}${err.stderr}`);
    });
    const port = await freePort();
    url = `http://127.0.0.1:${port}`;
    const args = [command, "start", "-H", "127.0.0.1", "-p", String(port)];
    next = spawn(process.execPath, args, { cwd: project.folder, env, stdio: "ignore" });
    const untilMs = performance.now() + START_TIMEOUT_MS;
    while (
      !(await fetch(url).then(
        ({ ok }) => ok,
        () => false,
      ))
    ) {
      if (performance.now() > untilMs || next.exitCode !== null) throw new Error("Next.js does not start");
      await sleep(100);
    }
  }, 1_200_000);

  afterAll(async () => {
    if (next?.exitCode === null) {
      next.kill("SIGKILL");
      await once(next, "exit");
    }
    await project?.remove();
    await latchkey?.close();
  });

  test("a page with the hooks is rendered on the server, where they only load", async () => {
    expect(await (await fetch(url)).text()).toContain("<p>Loading threads</p>");
  });

  describe.each(["/plans", "/edge"])("a guarded route handler of Next.js at %s", (path) => {
    const tenant = newTenant();
    const call = (init: RequestInit) => fetch(`${url}${path}/p1`, init);
    const keyHeaders = async (fields: object = {}): Promise<Record<string, string>> => {
      const { key } = await latchkey.createKey(await latchkey.dashboard(tenant), {
        permissions: ["plans:read"],
        ...fields,
      });
      return { "x-api-key": key };
    };

    test("gets Next's own request and parameters, the caller, and no X-Auth-* headers", async () => {
      const headers = { ...(await keyHeaders()), "x-auth-tenant-id": "ten_other", cookie: "theme=dark" };
      const answer = await call({ headers });
      expect(answer.status).toBe(200);
      const seen = [`${path}/p1`, "dark"];
      expect(await answer.json()).toEqual({ planId: "p1", seen, tenantId: tenant, isCaller: true, claims: [] });
    });

    test("reads its body, spends its cost, and its answer has the limit", async () => {
      const headers = await keyHeaders({ rate_limit: { requests_per_minute: 10 } });
      const answer = await call({ method: "POST", body: '{"n":1}', headers });
      expect([answer.status, await answer.json()]).toEqual([200, { n: 1 }]);
      expect(answer.headers.get("x-ratelimit-remaining")).toBe("6");
    });

    test("does not run without credentials: the answer is Latchkey's", async () => {
      const answer = await call({});
      expect([answer.status, await answer.json()]).toEqual([
        401,
        expect.objectContaining({ denial_reason: "missing_credentials" }),
      ]);
      expect(answer.headers.get("www-authenticate")).toContain("Bearer");
    });
  });
});
