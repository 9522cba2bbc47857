import { createServer } from "node:http";
import { createContextKey, createContextValues } from "@connectrpc/connect";
import { connectNodeAdapter } from "@connectrpc/connect-node";
import { createGuard } from "@latchkey/client/server";
import { PlanService } from "./gen/acme/plans/v1/plans_pb.ts";
import { createPlans } from "./plans.ts";

const { LATCHKEY_URL = "http://127.0.0.1:8080", PORT = "9000" } = process.env;

const clientAddress = createContextKey<string | undefined>(undefined);
const guard = createGuard({ baseUrl: LATCHKEY_URL, onError: (err) => process.stderr.write(`${err}\n`) });

const server = createServer(
  connectNodeAdapter({
    routes: (router) => router.service(PlanService, createPlans()),
    // Throws, and so ends the start, for an RPC of PlanService without a policy.
    interceptors: [
      guard.connect({
        services: [PlanService],
        clientAddress: ({ contextValues }) => contextValues.get(clientAddress),
      }),
    ],
    contextValues: (req) => createContextValues().set(clientAddress, req.socket.remoteAddress),
  }),
);
server.listen(Number(PORT), "127.0.0.1", () => process.stdout.write(`plans at http://127.0.0.1:${PORT}\n`));
