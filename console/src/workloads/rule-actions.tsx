import { useMutation } from "@connectrpc/connect-query";
import { useState } from "react";
import { Link, useLocation } from "wouter";
import {
  type FederationRule,
  FederationRuleStatus,
} from "../../../clients/typescript/src/gen/latchkey/v1/federation_pb.ts";
import { FederationService } from "../../../clients/typescript/src/gen/latchkey/v1/federation_service_pb.ts";
import { failureOf } from "../api/failure.ts";
import { Confirm } from "../members/confirm.tsx";
import { Button } from "../ui/button.tsx";
import { useToast } from "../ui/toast.tsx";
import { useRefreshRules } from "./rule-queries.ts";

/** What can be done with a rule. */
export function RuleActions({ rule }: { rule: FederationRule }) {
  const { ruleId, status } = rule;
  const [asks, setAsks] = useState<"disable" | "delete">();
  const refresh = useRefreshRules();
  const toast = useToast();
  const isEnabled = status === FederationRuleStatus.ENABLED;
  const { mutate, isPending } = useMutation(FederationService.method.updateFederationRule, {
    onSuccess: async () => {
      await refresh();
      toast("Rule enabled");
    },
    onError: (err) => toast(failureOf(err).message, "bad"),
  });
  const enable = (): void => mutate({ ruleId, status: FederationRuleStatus.ENABLED, updateMask: "status" });
  const close = (): void => setAsks(undefined);
  return (
    <>
      <Link className="button" href={`/workloads/${ruleId}/edit`}>
        Edit
      </Link>
      <Button busy={isPending} onClick={isEnabled ? () => setAsks("disable") : enable}>
        {isEnabled ? "Disable" : "Enable"}
      </Button>
      <Button look="danger" onClick={() => setAsks("delete")}>
        Delete
      </Button>
      {asks === "disable" && <DisableRule rule={rule} onClose={close} />}
      {asks === "delete" && <DeleteRule rule={rule} onClose={close} />}
    </>
  );
}

function DisableRule({ rule: { ruleId, name }, onClose }: { rule: FederationRule; onClose: () => void }) {
  const refresh = useRefreshRules();
  const toast = useToast();
  const { mutateAsync } = useMutation(FederationService.method.updateFederationRule);
  const disable = async (): Promise<void> => {
    await mutateAsync({ ruleId, status: FederationRuleStatus.DISABLED, updateMask: "status" });
    await refresh();
    toast("Rule disabled");
  };
  return (
    <Confirm title={`Disable ${name}?`} action="Disable" onConfirm={disable} onClose={onClose} focusAfter="content">
      No workload gets a token by it until you enable it again.
    </Confirm>
  );
}

function DeleteRule({ rule: { ruleId, name }, onClose }: { rule: FederationRule; onClose: () => void }) {
  const [, navigate] = useLocation();
  const refresh = useRefreshRules();
  const toast = useToast();
  const { mutateAsync } = useMutation(FederationService.method.deleteFederationRule);
  const remove = async (): Promise<void> => {
    await mutateAsync({ ruleId });
    navigate("/workloads", { replace: true });
    toast("Rule deleted");
    void refresh();
  };
  return (
    <Confirm title={`Delete ${name}?`} action="Delete" onConfirm={remove} onClose={onClose} focusAfter="content">
      No workload gets a token by it from now on, and the tokens that it gave are denied on every replica. It cannot be
      undone; to stop it for a while, disable it.
    </Confirm>
  );
}
