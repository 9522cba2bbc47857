import type { ClaimKind, KeySource } from "./rule-draft.ts";

/** The tokens of a platform. People replace texts in angle brackets. */
export interface Preset {
  readonly value: string;
  readonly label: string;
  readonly issuer: string;
  /** Undefined: the platform takes any, and the form proposes one that names the organization. */
  readonly audience?: string;
  readonly source: KeySource;
  readonly claims: readonly { readonly claim: string; readonly value: string; readonly kind?: ClaimKind }[];
  /** The meaning of the values, and how the workload gets its token. */
  readonly hint: string;
}

export const PRESETS: readonly Preset[] = [
  {
    value: "github",
    label: "GitHub Actions",
    issuer: "https://token.actions.githubusercontent.com",
    source: "discovered",
    claims: [
      { claim: "repository_id", value: "<repository id>" },
      { claim: "ref", value: "refs/heads/main" },
    ],
    hint: "Pin the repository by its id: a name can be taken by another account once it is free. The job needs the permission id-token: write.",
  },
  {
    value: "gitlab",
    label: "GitLab CI/CD",
    issuer: "https://gitlab.com",
    source: "discovered",
    claims: [
      { claim: "project_id", value: "<project id>" },
      { claim: "ref_protected", value: "true" },
    ],
    hint: "For a GitLab of your own, its address is the issuer. The job names the audience in id_tokens.",
  },
  {
    value: "kubernetes",
    label: "Kubernetes service account",
    issuer: "https://kubernetes.default.svc.cluster.local",
    source: "pasted",
    claims: [{ claim: "sub", value: "system:serviceaccount:<namespace>:<service account>" }],
    hint: "Paste what kubectl get --raw /openid/v1/jwks prints; its neighbour /.well-known/openid-configuration has the issuer. The pod mounts a projected token with this audience.",
  },
  {
    value: "spiffe",
    label: "SPIFFE",
    issuer: "https://<oidc discovery provider>",
    source: "discovered",
    claims: [{ claim: "sub", value: "spiffe://<trust domain>/<path>" }],
    hint: "For JWT-SVIDs with the claim iss, which SPIRE sets by jwt_issuer. Where its discovery provider is private, paste the keys.",
  },
  {
    value: "google",
    label: "Google Cloud",
    issuer: "https://accounts.google.com",
    source: "discovered",
    claims: [{ claim: "sub", value: "<unique id of the service account>" }],
    hint: "The unique id is a number of 21 digits, which no later account gets. The workload asks the metadata server for an identity token with this audience.",
  },
  {
    value: "entra",
    label: "Microsoft Entra",
    issuer: "https://login.microsoftonline.com/<directory id>/v2.0",
    audience: "<client id of the app registration>",
    source: "discovered",
    claims: [{ claim: "oid", value: "<object id of the managed identity>" }],
    hint: "Register an app only for this service: its client id is the audience of tokens of version 2.0. Tokens of version 1.0 have the issuer https://sts.windows.net/ with the directory's id.",
  },
  {
    value: "aws",
    label: "AWS",
    issuer: "https://<account's id for tokens>.tokens.sts.global.api.aws",
    source: "discovered",
    claims: [{ claim: "sub", value: "arn:aws:iam::<account id>:role/<role>" }],
    hint: "Enable outbound identity federation: IAM shows the account's issuer. The workload calls sts get-web-identity-token with this audience. For pods of EKS, take Kubernetes with the cluster's OIDC issuer.",
  },
];
