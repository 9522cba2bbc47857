import { writeBills } from "./bill.ts";
import { makeChart } from "./chart.ts";
import { makeGoModules } from "./go.ts";
import { makeImage } from "./image.ts";
import { makeClientPackage, makeServicePackage } from "./npm.ts";
import { makePythonPackage } from "./python.ts";
import type { MakeArtifact } from "./release.ts";
import { makeSwiftPackage } from "./swift.ts";

/** What a release has: by the job of `.github/workflows/release.yml` that publishes it, and the bills of materials. */
export const ARTIFACTS: Readonly<Record<string, MakeArtifact>> = {
  service: makeServicePackage,
  client: makeClientPackage,
  python: makePythonPackage,
  go: makeGoModules,
  swift: makeSwiftPackage,
  chart: makeChart,
  image: makeImage,
  sbom: writeBills,
};
