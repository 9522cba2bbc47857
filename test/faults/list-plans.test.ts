import { listPlansSuite } from "../store/list-plans.suite.ts";

listPlansSuite(1_000_000);
