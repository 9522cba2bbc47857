import { daysOf } from "../requests/request-filters.ts";
import { useUrlFilters } from "../ui/url-filters.ts";
import { ACTIONS } from "./actions.ts";

const FILTERS = ["action", "actor", "target", "request", "from", "to"] as const;

export type EventFilters = ReturnType<typeof useEventFilters>;
export type FilterValues = EventFilters["values"];

/** The filters, and `request` with them as the list's request has them. */
export function useEventFilters() {
  const filters = useUrlFilters(FILTERS, { action: ACTIONS });
  const { values, pageToken } = filters;
  const request = {
    action: values.action,
    actorId: values.actor.trim(),
    targetId: values.target.trim(),
    requestId: values.request.trim(),
    pageToken,
    ...daysOf(values),
  };
  return { ...filters, request };
}
