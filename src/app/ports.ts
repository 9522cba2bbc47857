import type { DescService } from "@bufbuild/protobuf";
import { AuthService } from "../../gen/latchkey/v1/auth_service_pb.ts";
import { EdgeService } from "../../gen/latchkey/v1/edge_service_pb.ts";
import { OperatorService } from "../../gen/latchkey/v1/operator_service_pb.ts";
import type { Config } from "../config/config.ts";
import { AUTH_CHECK_PATH } from "../transport/endpoints/auth-check.ts";
import { createHandler, type FrontDoor } from "../transport/handler.ts";
import { connectionBound } from "../transport/http/connections-per-address.ts";
import { HTTP_LIMITS, type HttpLimits } from "../transport/http/http-limits.ts";
import { createRefusals } from "../transport/http/refusals.ts";
import { type HttpServer, type ListenOptions, listen } from "../transport/http/server.ts";

/** The ports of a process, closed and renewed together. */
export interface Ports extends Omit<HttpServer, "url" | "address"> {
  readonly main: Address;
  /** Undefined: all is on the main port. */
  readonly admin: Address | undefined;
}

export type Address = Pick<HttpServer, "url" | "address">;

type PortsConfig = Pick<Config, "host" | "port" | "adminPort" | "tls" | "overload" | "trustedProxies">;

/** What only operators need, as the endpoints of the admin port. Without that port it is on the main port, as everything else. */
const ADMIN_SERVICE = /^(?:grpc\.reflection\.|latchkey\.v1\.EdgeService$)/;

/**
 * Listens on the main port and, if it is configured, on the admin port (ADR 34). Both have the same address and
 * certificate. Throws an error that names the variable to change, and then listens on neither.
 */
export async function openPorts(
  { host, port, adminPort, tls, overload, trustedProxies }: PortsConfig,
  door: FrontDoor,
  onError: ListenOptions["onError"],
  limits: HttpLimits = HTTP_LIMITS,
): Promise<Ports> {
  const connections = connectionBound({ overload, trustedProxies }, onError);
  const options = { refusals: createRefusals(door), limits, connections, onError };
  const open = (part: FrontDoor, variable: "PORT" | "ADMIN_PORT", number: number): Promise<HttpServer> =>
    listen(createHandler(part), { ...options, host, tls, variable, port: number });
  if (adminPort === null) {
    const main = await open(door, "PORT", port);
    return { ...main, main, admin: undefined };
  }
  const admin = await open(adminPart(door), "ADMIN_PORT", adminPort);
  try {
    return together(await open(mainPart(door), "PORT", port), admin);
  } catch (err) {
    await admin.close(0);
    throw err;
  }
}

function mainPart(door: FrontDoor): FrontDoor {
  return {
    ...door,
    handlers: door.handlers.filter(({ method }) => method.parent !== OperatorService),
    rpcs: door.rpcs.filter(({ method }) => method.parent !== OperatorService),
    openHandlers: door.openHandlers.filter(({ method }) => !ADMIN_SERVICE.test(method.parent.typeName)),
    endpoints: door.endpoints.filter(({ port }) => port !== "admin"),
  };
}

/**
 * Reflection describes all services there, those of the main port, too: it is the one place to get the schema from. Where edges
 * follow, it also has Verify and `/auth/check`, by which they ask about the calls that they cannot decide.
 */
function adminPart(door: FrontDoor): FrontDoor {
  const hasEdges = door.openHandlers.some(({ method }) => method.parent === EdgeService);
  const isThere = (service: DescService) => service === OperatorService || (hasEdges && service === AuthService);
  return {
    ...door,
    handlers: door.handlers.filter(({ method }) => isThere(method.parent)),
    rpcs: door.rpcs.filter(({ method }) => isThere(method.parent)),
    endpoints: door.endpoints.filter(({ port, path }) => port !== "main" || (hasEdges && path === AUTH_CHECK_PATH)),
  };
}

function together(main: HttpServer, admin: HttpServer): Ports {
  return {
    main,
    admin,
    certificate: main.certificate,
    reloadCertificate(now) {
      main.reloadCertificate(now);
      admin.reloadCertificate(now);
    },
    async close(noticeMs) {
      await Promise.all([main.close(noticeMs), admin.close(noticeMs)]);
    },
  };
}
