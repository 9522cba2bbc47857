import { randomUUID } from "node:crypto";
import {
  defaultResource,
  detectResources,
  envDetector,
  type Resource,
  resourceFromAttributes,
} from "@opentelemetry/resources";
import packageJson from "../../../package.json" with { type: "json" };

/** Only of this process: without it a collector would mix the counters of all replicas. */
const INSTANCE_ID = randomUUID();

/** What sends spans and metrics. `OTEL_SERVICE_NAME` and `OTEL_RESOURCE_ATTRIBUTES` come before our own. */
export function ownResource(): Resource {
  return defaultResource()
    .merge(
      resourceFromAttributes({
        "service.name": "latchkey",
        "service.version": packageJson.version,
        "service.instance.id": INSTANCE_ID,
      }),
    )
    .merge(detectResources({ detectors: [envDetector] }));
}
