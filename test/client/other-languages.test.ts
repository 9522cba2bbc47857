import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { create, type DescService } from "@bufbuild/protobuf";
import { expect, test } from "vitest";
import { ApiKeyService } from "../../clients/typescript/src/gen/latchkey/v1/api_key_service_pb.ts";
import { AuditService } from "../../clients/typescript/src/gen/latchkey/v1/audit_service_pb.ts";
import { AuthService } from "../../clients/typescript/src/gen/latchkey/v1/auth_service_pb.ts";
import { GatewayService } from "../../clients/typescript/src/gen/latchkey/v1/gateway_service_pb.ts";
import { KeyPolicyService } from "../../clients/typescript/src/gen/latchkey/v1/key_policy_service_pb.ts";
import { LeakService } from "../../clients/typescript/src/gen/latchkey/v1/leak_service_pb.ts";
import { OperatorService } from "../../clients/typescript/src/gen/latchkey/v1/operator_service_pb.ts";
import { OrgService } from "../../clients/typescript/src/gen/latchkey/v1/org_service_pb.ts";
import { ScopeService } from "../../clients/typescript/src/gen/latchkey/v1/scope_service_pb.ts";
import { UsageService } from "../../clients/typescript/src/gen/latchkey/v1/usage_service_pb.ts";
import { isRepeatable } from "../../clients/typescript/src/repeatable.ts";

const SERVICES: readonly DescService[] = [
  ApiKeyService,
  AuditService,
  AuthService,
  GatewayService,
  KeyPolicyService,
  LeakService,
  OperatorService,
  OrgService,
  ScopeService,
  UsageService,
];

const READS = SERVICES.flatMap((service) => service.methods)
  .filter((method) => isRepeatable(method, create(method.input)))
  .map(({ parent, name }) => `${parent.name}/${name}`)
  .toSorted();

const LISTS: readonly [language: string, path: string, entry: RegExp][] = [
  ["Go", "clients/go/retry.go", /latchkeyv1connect\.(\w+Service)(\w+)Procedure: +true/g],
  ["Python", "clients/python/src/latchkey/_retry.py", /"\/latchkey\.v1\.(\w+Service)\/(\w+)"/g],
];

test.each(LISTS)(
  "the client for %s repeats the reads that the TypeScript client repeats",
  async (_language, path, entry) => {
    const source = await readFile(fileURLToPath(new URL(`../../${path}`, import.meta.url)), "utf8");
    const reads = [...source.matchAll(entry)].map(([, service, rpc]) => `${service}/${rpc}`);
    expect(READS.length).toBeGreaterThan(15);
    expect(reads.toSorted()).toEqual(READS);
  },
);
