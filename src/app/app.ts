import type { Config } from "../config/config.ts";
import type { Secrets } from "../config/secrets.ts";
import { reportCertificate } from "../observability/metrics/certificate-expiry.ts";
import { openDatabase } from "../store/sql/driver/open.ts";
import { openAccess } from "./access.ts";
import { startPurge, startWarmUp } from "./background.ts";
import { watchDescriptors } from "./descriptor-watch.ts";
import { createDoor } from "./door.ts";
import type { OpenPart, Part, PartContext } from "./part.ts";
import { openAccessTokens } from "./parts/access-tokens.ts";
import { openAudit } from "./parts/audit.ts";
import { openConsole } from "./parts/console.ts";
import { openConversations } from "./parts/conversations.ts";
import { openEdges } from "./parts/edges.ts";
import { openFederation } from "./parts/federation.ts";
import { openKeys } from "./parts/keys.ts";
import { openLeaks } from "./parts/leaks.ts";
import { openOperator } from "./parts/operator.ts";
import { openOrgs } from "./parts/orgs.ts";
import { openRequests } from "./parts/requests.ts";
import { openUsage } from "./parts/usage.ts";
import { openVerification } from "./parts/verification.ts";
import { openWebhooks } from "./parts/webhooks.ts";
import { type Address, openPorts, type Ports } from "./ports.ts";
import { type AppOptions, createSetup } from "./setup.ts";
import { openStorage } from "./storage.ts";
import { openTokens } from "./tokens.ts";
import { openWatch } from "./watch.ts";

/** What the service can do, a file each. */
const PARTS: readonly OpenPart[] = [
  openKeys,
  openAudit,
  openVerification,
  openConversations,
  openLeaks,
  openOperator,
  openOrgs,
  openUsage,
  openRequests,
  openWebhooks,
  openAccessTokens,
  openFederation,
  openEdges,
  openConsole,
];

export interface App {
  readonly url: string;
  /** The bound address, such as `0.0.0.0:8080`. */
  readonly address: string;
  /** Of the admin port. Undefined: all is on the one port. */
  readonly admin: Address | undefined;
  /** Reloads the certificate. Throws, and keeps the old one, if the files are unusable or not valid now. */
  reloadCertificate(): void;
  /** From now on these secrets are used: for the next request, and for the next connection of each store. */
  useSecrets(secrets: Secrets): void;
  /** Ends requests, hands back runs, stores usage and closes the storage, as far as possible within `stopMs`. */
  close(): Promise<void>;
}

/** Composes the service and listens. A failed start closes everything that it opened. */
export async function startApp(config: Config, options: AppOptions): Promise<App> {
  const setup = createSetup(config, options);
  const { life } = setup;
  try {
    const watch = await openWatch(setup);
    life.onIdle(watchDescriptors(watch.conditions.error).close);
    const database = options.database ?? (await openDatabase(config.storage));
    life.onClose(database.close);
    const tokens = await openTokens(setup, watch);
    const storage = await openStorage(setup, watch, database);
    const access = openAccess(setup, watch, storage, tokens);
    const ctx: PartContext = { ...setup, watch, storage, access };
    const parts: Part[] = [];
    for (const open of PARTS) parts.push(await open(ctx));
    startPurge(ctx, parts);
    storage.listen((hint) => {
      for (const { onHint } of parts) onHint?.(hint);
    });
    const door = createDoor(ctx, parts);
    const onError = (err: Error) => watch.conditions.error("a connection could not be accepted", err);
    const ports = await openPorts(config, door, onError, options.httpLimits);
    life.onStop(() => ports.close(config.drainNoticeMs));
    startWarmUp(ctx);
    return running(ctx, ports);
  } catch (err) {
    await life.close().catch((failure: unknown) => {
      options.log.error({ err: failure }, "not all that a failed start had opened could be closed");
    });
    throw err;
  }
}

function running({ config, secrets, clock, watch, storage, life }: PartContext, ports: Ports): App {
  const { log, metrics } = watch;
  return {
    ...ports.main,
    admin: ports.admin,
    reloadCertificate: reportCertificate(ports, { log, metrics, clock }),
    useSecrets(latest) {
      secrets.use(latest);
      storage.useSecrets(latest);
    },
    async close() {
      log.info({ drain_ms: config.drainNoticeMs }, "stopping");
      await life.close();
      log.info("stopped");
    },
  };
}
