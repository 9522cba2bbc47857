{{/*
1000 is the user `node` of the image: a number, so that Kubernetes can check that it is not root. A member that the values
set to null is left out.
*/}}
{{- define "latchkey.podSecurity" -}}
{{- $own := dict "runAsNonRoot" true "runAsUser" 1000 "runAsGroup" 1000 "fsGroup" 1000 "seccompProfile" (dict "type" "RuntimeDefault") -}}
{{- include "latchkey.withValues" (list $own .Values.podSecurityContext) -}}
{{- end -}}

{{- define "latchkey.containerSecurity" -}}
{{- $own := dict "allowPrivilegeEscalation" false "readOnlyRootFilesystem" true "capabilities" (dict "drop" (list "ALL")) -}}
{{- include "latchkey.withValues" (list $own .Values.containerSecurityContext) -}}
{{- end -}}

{{- define "latchkey.withValues" -}}
{{- $merged := index . 0 -}}
{{- range $name, $value := index . 1 -}}
{{- if kindIs "invalid" $value -}}
{{- $merged = omit $merged $name -}}
{{- else -}}
{{- $merged = set $merged $name $value -}}
{{- end -}}
{{- end -}}
{{- toYaml $merged -}}
{{- end -}}
