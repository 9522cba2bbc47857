/** The pages of workloads, in one file: the frame, which is loaded first, names it once. */
export { EditRulePage } from "./edit-rule-page.tsx";
export { NewRulePage } from "./new-rule-page.tsx";
export { RulePage } from "./rule-page.tsx";
export { WorkloadsPage } from "./workloads-page.tsx";
