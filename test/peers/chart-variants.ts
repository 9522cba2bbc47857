const DIGEST = `sha256:${"0123456789abcdef".repeat(4)}`;
/** Every value that changes which manifests there are, or their members. */
export const VARIANTS: Record<string, readonly string[]> = {
  "by default": [],
  "without what can be turned off": [
    ...["autoscaling.enabled=false", "networkPolicy.enabled=false", "migration.enabled=false"],
    "secrets.REDIS_URL=null",
  ],
  "with everything": [
    `image.digest=${DIGEST}`,
    "imagePullSecrets[0].name=registry",
    "config.OIDC_ISSUER=https://id.example.com",
    "config.NODE_EXTRA_CA_CERTS=/etc/ca/ca.pem",
    ...["secrets.PGPASSWORD.name=db", "secrets.PGPASSWORD.key=password"],
    "tls.secretName=latchkey-tls",
    ...["service.type=LoadBalancer", "service.annotations.a=b", "serviceAccount.annotations.a=b"],
    "podDisruptionBudget.maxUnavailable=50%",
    "networkPolicy.publicFrom[0].namespaceSelector.matchLabels.name=ingress",
    "networkPolicy.postgresTo[0].ipBlock.cidr=10.0.0.5/32",
    "networkPolicy.redisTo[0].podSelector.matchLabels.app=redis",
    "networkPolicy.extraEgress[0].ports[0].port=4318",
    ...["serviceMonitor.enabled=true", "serviceMonitor.labels.release=prometheus", "prometheusRule.enabled=true"],
    ...["podSecurityContext.runAsUser=null", "containerSecurityContext.runAsUser=1001"],
    ...["volumes[0].name=ca", "volumes[0].configMap.name=ca"],
    ...["volumeMounts[0].name=ca", "volumeMounts[0].mountPath=/etc/ca"],
    ...["podAnnotations.a=b", "podLabels.a=b", "nodeSelector.a=b"],
    ...["tolerations[0].key=a", "tolerations[0].operator=Exists"],
    "affinity.nodeAffinity.preferredDuringSchedulingIgnoredDuringExecution[0].weight=1",
    "affinity.nodeAffinity.preferredDuringSchedulingIgnoredDuringExecution[0].preference.matchExpressions[0].key=a",
    "affinity.nodeAffinity.preferredDuringSchedulingIgnoredDuringExecution[0].preference.matchExpressions[0].operator=Exists",
  ],
  "with its secrets in files": [
    ...["secrets.DATABASE_URL=null", "secrets.REDIS_URL=null"],
    ...["config.DATABASE_URL_FILE=/etc/secrets/database", "config.REDIS_URL_FILE=/etc/secrets/redis"],
    ...["volumes[0].name=secrets", "volumes[0].secret.secretName=latchkey"],
    ...["volumeMounts[0].name=secrets", "volumeMounts[0].mountPath=/etc/secrets"],
  ],
  "with a role of its own for the migration": ["migration.databaseUrl.name=owner", "migration.databaseUrl.key=url"],
};
