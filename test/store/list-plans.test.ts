// promise: operator.tenants
import { listPlansSuite } from "./list-plans.suite.ts";

// A million are in `test/faults`.
listPlansSuite(40_000);
