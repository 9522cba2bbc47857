// promise: workloads.checked
import { readFile } from "node:fs/promises";
import { describe, expect, test } from "vitest";
import { newEmployer, sharedFederation, WORKLOAD_KEY } from "../harness/federation.ts";
import type { JsonObject } from "../harness/http.ts";

const service = await sharedFederation();
const GUIDE = new URL("../../docs/guides/workload-identity.md", import.meta.url);
const page = await readFile(GUIDE, "utf8");
const recipes = new Map(
  [...page.slice(page.indexOf("## Recipes")).matchAll(/^### (.+?)\n.*?^```json\n(.*?)^```$/gms)].map(
    ([, name = "", json = ""]): [string, JsonObject] => [name, JSON.parse(json)],
  ),
);

interface Shape {
  /** The claims of a workload's token as its platform documents them, but for iss, aud and the times. */
  readonly claims: Record<string, unknown>;
  /** Others who have a token of the same platform. */
  readonly others: Readonly<Record<string, Record<string, unknown>>>;
  /** How the platform writes the audience. Default: a text. */
  readonly audienceIsList?: true;
}

const KUBERNETES = {
  namespace: "shop",
  node: { name: "node-1", uid: "646e7c5e-32d6-4d42-9dbd-e504e6cbe6b1" },
  pod: { name: "deployer-7d9", uid: "5e0bd49b-f040-43b0-99b7-22765a53f7f3" },
  serviceaccount: { name: "deployer", uid: "14ee3fa4-a7e2-420f-9f9a-dbc4507c3798" },
};
const AWS = { aws_account: "123456789012", source_region: "eu-central-1", org_id: "o-abc1234567", principal_tags: {} };

const SHAPES: Readonly<Record<string, Shape>> = {
  "GitHub Actions": {
    claims: {
      ...{ jti: "example-id", sub: "repo:acme/shop:ref:refs/heads/main", ref: "refs/heads/main", sha: "example-sha" },
      ...{ repository: "acme/shop", repository_id: "123456789", repository_visibility: "private" },
      ...{ repository_owner: "acme", repository_owner_id: "987654", actor: "octocat", actor_id: "12" },
      ...{ run_id: "30433642", run_number: "10", run_attempt: "2", runner_environment: "github-hosted" },
      ...{ workflow: "deploy", workflow_ref: "acme/shop/.github/workflows/deploy.yml@refs/heads/main" },
      ...{ head_ref: "", base_ref: "", event_name: "push", ref_type: "branch", ref_protected: "true" },
      job_workflow_ref: "acme/shop/.github/workflows/deploy.yml@refs/heads/main",
    },
    others: {
      "a fork": { repository_id: "555", repository_owner_id: "556", repository: "mallory/shop" },
      "a repository that took the name over": { repository_id: "555" },
      "another branch": { ref: "refs/heads/next", sub: "repo:acme/shop:ref:refs/heads/next" },
      "a pull request": { ref: "refs/pull/7/merge", sub: "repo:acme/shop:pull_request", event_name: "pull_request" },
      "ids as numbers": { repository_id: 123_456_789 },
    },
  },
  GitLab: {
    claims: {
      ...{ sub: "project_path:acme/shop:ref_type:branch:ref:main", project_id: "42", project_path: "acme/shop" },
      ...{ namespace_id: "7", namespace_path: "acme", user_id: "1", user_login: "jo", user_email: "jo@example.com" },
      ...{ pipeline_id: "574", pipeline_source: "push", job_id: "302", ref: "main", ref_type: "branch" },
      ...{ ref_path: "refs/heads/main", ref_protected: "true", runner_id: 1, runner_environment: "gitlab-hosted" },
      ...{ sha: "714a629c0b401fdce83e847fc9589983fc6f46bc", project_visibility: "private", jti: "235b3a54" },
    },
    others: {
      "another project": { project_id: "43" },
      "a project that was moved to another group": { namespace_id: "8" },
      "a branch that is not protected": { ref_protected: "false", ref: "next" },
      "a boolean in place of the text": { ref_protected: true },
    },
  },
  Kubernetes: {
    audienceIsList: true,
    claims: { sub: "system:serviceaccount:shop:deployer", jti: "ea28ed49", "kubernetes.io": KUBERNETES },
    others: {
      "another account": { sub: "system:serviceaccount:shop:default" },
      "another namespace": { sub: "system:serviceaccount:dev:deployer" },
      "an account that was deleted and made again": {
        "kubernetes.io": {
          ...KUBERNETES,
          serviceaccount: { name: "deployer", uid: "00000000-0000-0000-0000-000000000000" },
        },
      },
      "a claim that is only named like the path": { "kubernetes.io": "x", "kubernetes.io.serviceaccount.uid": "x" },
    },
  },
  SPIFFE: {
    audienceIsList: true,
    claims: { sub: "spiffe://example.org/ns/shop/sa/deployer" },
    others: {
      "another workload": { sub: "spiffe://example.org/ns/shop/sa/deployer2" },
      "a path below": { sub: "spiffe://example.org/ns/shop/sa/deployer/x" },
      "another trust domain": { sub: "spiffe://example.com/ns/shop/sa/deployer" },
    },
  },
  "Google Cloud": {
    claims: {
      ...{ azp: "112233445566778899001", sub: "112233445566778899001", email_verified: true },
      email: "deployer@shop.iam.gserviceaccount.com",
    },
    others: {
      "another account": { sub: "112233445566778899002" },
      "a person whose address is not verified": { email_verified: false },
      "a text in place of the boolean": { email_verified: "true" },
    },
  },
  "Microsoft Entra": {
    claims: {
      ...{ azp: "11112222-bbbb-3333-cccc-4444dddd5555", azpacr: "2", ver: "2.0", idtyp: "app", uti: "example" },
      ...{ oid: "aaaaaaaa-0000-1111-2222-bbbbbbbbbbbb", sub: "aaaaaaaa-0000-1111-2222-bbbbbbbbbbbb", rh: "0.example" },
      tid: "aaaabbbb-0000-cccc-1111-dddd2222eeee",
    },
    others: {
      "another principal": { oid: "cccccccc-0000-1111-2222-bbbbbbbbbbbb" },
      "another directory": { tid: "ffffbbbb-0000-cccc-1111-dddd2222eeee" },
    },
  },
  AWS: {
    claims: {
      ...{ sub: "arn:aws:iam::123456789012:role/deployer", jti: "xyz123" },
      "https://sts.amazonaws.com/": AWS,
    },
    others: {
      "another role": { sub: "arn:aws:iam::123456789012:role/reader" },
      "a role of that name in another account": {
        sub: "arn:aws:iam::999999999999:role/deployer",
        "https://sts.amazonaws.com/": { ...AWS, aws_account: "999999999999" },
      },
      "a tag that is named like the claim": {
        "https://sts.amazonaws.com/": { principal_tags: { aws_account: "123456789012" } },
      },
    },
  },
};

test("each recipe of the guide is run", () => {
  expect([...recipes.keys()]).toEqual(Object.keys(SHAPES));
});

describe.each(Object.entries(SHAPES))("the recipe for %s", (name, { claims, others, audienceIsList }) => {
  /** A rule as the guide has it, with keys of a test in place of those of the platform. */
  async function followed() {
    const { jwks_url: _fetched, ...recipe } = recipes.get(name) ?? {};
    const employer = await newEmployer(service);
    const { rule_id } = await employer.create({ ...recipe, jwks: { keys: [WORKLOAD_KEY.jwk] } });
    const { issuer: iss, audience } = recipe;
    const own = {
      jti: undefined,
      repository_id: undefined,
      ...claims,
      iss,
      aud: audienceIsList ? [audience] : audience,
    };
    const exchange = (changes: Record<string, unknown> = {}) =>
      employer.exchange(rule_id, employer.assertion({ ...own, ...changes }));
    return { exchange };
  }

  test("gives the workload a token", async () => {
    const { exchange } = await followed();
    const answer = await exchange();
    expect(answer.status, answer.text).toBe(200);
  });

  // threat: D10
  test.each(Object.entries(others))("gives none to %s", async (_who, changes) => {
    const { exchange } = await followed();
    expect((await exchange(changes)).json).toMatchObject({ error: "invalid_grant" });
    expect((await exchange()).status).toBe(200);
  });
});
