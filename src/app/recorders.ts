import type { CountedImpersonations, ImpersonationRecorder } from "../domain/audit/audit-trail.ts";
import type { RequestRecorder } from "../domain/requests/request-log.ts";
import type { UsageRecorder } from "../domain/usage/usage-store.ts";
import { createUsageMetrics } from "../observability/metrics/usage.ts";
import { createImpersonationRecorder } from "../store/recorders/impersonation-recorder.ts";
import { createRefusalRecorder, type OwnRefusals } from "../store/recorders/refusal-recorder.ts";
import { createRequestRecorder, NO_REQUESTS } from "../store/recorders/request-recorder.ts";
import { createUsageRecorder } from "../store/recorders/usage-recorder.ts";
import type { Setup } from "./setup.ts";
import type { Storage } from "./storage.ts";
import type { Watch } from "./watch.ts";

const UNCONFIRMED = "usage may be lost: PostgreSQL did not say whether it stored it";

/** The counts of this process, stored in the background. */
export interface Recorders {
  readonly usage: UsageRecorder;
  readonly refusals: OwnRefusals;
  readonly impersonations: ImpersonationRecorder & CountedImpersonations;
  readonly requestRecorder: RequestRecorder;
}

export function openRecorders(setup: Setup, { log, metrics }: Watch, storage: Storage): Recorders {
  const { clock, life } = setup;
  const { audit, logFailure } = storage;
  const ownUsage = createUsageRecorder({
    keys: storage.keys,
    onError: (err) =>
      storage.watch.usageFailed(err, () => log.error({ err }, "usage cannot be stored: it is kept until it can be")),
    onStored: storage.watch.usageStored,
    onLost: (loss, err) => {
      const { neverSent, unconfirmed } = loss;
      usageMetrics.onLost(loss);
      if (neverSent > 0) log.error({ err, verifications: neverSent }, "usage is lost: it could not be stored");
      if (unconfirmed > 0) log.error({ err, verifications: unconfirmed }, UNCONFIRMED);
    },
  });
  const usageMetrics = createUsageMetrics(metrics, () => ownUsage.progress);
  life.onIdle(ownUsage.close);
  const refusals = createRefusalRecorder({
    audit,
    clock,
    onError: logFailure("refused calls cannot be stored in the audit trail: they are counted until they can be"),
  });
  life.onIdle(refusals.close);
  const impersonations = createImpersonationRecorder({
    audit,
    onError: logFailure("calls for users cannot be stored for the audit trail: they are counted until they can be"),
    onLost: (calls) => log.error({ calls }, "calls for users are lost: they could not be stored for the audit trail"),
  });
  life.onIdle(impersonations.close);
  return {
    usage: { ...ownUsage, collect: storage.records.collectUsage(ownUsage.store) },
    refusals,
    impersonations,
    requestRecorder: openRequestRecorder(setup, storage),
  };
}

function openRequestRecorder({ config, life }: Setup, { requests, logFailure }: Storage): RequestRecorder {
  if (config.requestLogDays === 0) return NO_REQUESTS;
  const recorder = createRequestRecorder({
    requests,
    onError: logFailure("recent requests cannot be stored: the newest are kept until they can be"),
  });
  life.onIdle(recorder.close);
  return recorder;
}
