import { EventEmitter, on } from "node:events";
import { Code, ConnectError, type ServiceImpl } from "@connectrpc/connect";
import { callerContext, callerOf } from "@latchkey/client/server";
import type { Plan, PlanService } from "./gen/acme/plans/v1/plans_pb.ts";

/** The plans of each tenant, in memory. No handler checks a credential: that is done when it runs. */
export function createPlans(): ServiceImpl<typeof PlanService> {
  const plans = new Map<string, Plan[]>();
  const added = new EventEmitter().setMaxListeners(0);
  const plansOf = (tenantId: string): Plan[] => plans.get(tenantId) ?? [];

  return {
    listPlans: (_, context) => ({ plans: plansOf(callerOf(context).tenantId) }),

    createPlan({ plan }, context) {
      const { tenantId } = callerOf(context);
      if (plan === undefined || plan.name === "") throw new ConnectError("plan: needs a name", Code.InvalidArgument);
      plans.set(tenantId, [...plansOf(tenantId), plan]);
      added.emit(`of ${tenantId}`, plan);
      return { plan };
    },

    async *watchPlans(_, context) {
      const { tenantId } = callerOf(context);
      for await (const [plan] of on(added, `of ${tenantId}`, { signal: context.signal })) yield { plan };
    },

    removeAllPlans(_, context) {
      const { tenantId } = callerOf(context);
      const count = plansOf(tenantId).length;
      plans.delete(tenantId);
      return { count };
    },

    whoAmI(_, { values }) {
      const { kind = "", tenantId = "", userId = "" } = values.get(callerContext) ?? {};
      return { kind, tenantId, userId };
    },

    getCurrencies: () => ({ currencies: ["EUR", "USD"] }),
  };
}
