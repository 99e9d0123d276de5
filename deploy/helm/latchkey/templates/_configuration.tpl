{{/* The configuration file of the service. */}}
{{- define "latchkey.configuration" -}}
{{- $given := deepCopy (default dict .Values.configuration.server) -}}
{{- /* The names of the admin port's Service; probes and Prometheus use the IP addresses of the pods. */ -}}
{{- $admin := printf "%s-admin" (include "latchkey.name" .) -}}
{{- $inNamespace := printf "%s.%s" $admin .Release.Namespace -}}
{{- $names := list $admin $inNamespace (printf "%s.svc" $inNamespace) (printf "%s.svc.cluster.local" $inNamespace) -}}
{{- $hosts := concat $names (default list $given.adminHosts) -}}
{{- $own := dict "host" "0.0.0.0" "port" 8080 "adminHost" "0.0.0.0" "adminPort" 8081 "adminHosts" $hosts -}}
{{- $server := merge $own $given -}}
{{- $auth := deepCopy (default dict .Values.configuration.auth) -}}
{{- /* Helm merges the keys of values.yaml into a block of another type, too. */ -}}
{{- if eq (default "basic" $auth.type) "oauth" }}{{ $auth = omit $auth "keys" }}{{ end -}}
{{- $rest := omit (deepCopy .Values.configuration) "auth" -}}
{{- toYaml (merge (dict "server" $server) (empty $auth | ternary dict (dict "auth" $auth)) $rest) -}}
{{- end -}}

{{/* Not empty if the admin port uses TLS. */}}
{{- define "latchkey.adminTls" -}}
{{- if (default dict .Values.configuration.server).adminTls }}yes{{ end -}}
{{- end -}}

{{/* The secrets that the configuration uses, separated by spaces. */}}
{{- define "latchkey.named" -}}
{{- $text := include "latchkey.configuration" . | replace "$${" "" -}}
{{- range regexFindAll "[$][{][^}:]+[}]" $text -1 }}{{ trimPrefix "${" . | trimSuffix "}" }} {{ end -}}
{{- end -}}

{{/* Not empty if the users are stored in the pod, so that only one pod is possible. */}}
{{- define "latchkey.embedded" -}}
{{- if has .Values.configuration.database.type (list "sqlite" "memory") }}yes{{ end -}}
{{- end -}}

{{/* Not empty if /data is a persistent volume. */}}
{{- define "latchkey.persistent" -}}
{{- if and .Values.persistence.enabled (eq .Values.configuration.database.type "sqlite") }}yes{{ end -}}
{{- end -}}

{{/* The operation timeout in whole seconds, rounded up: `operationTimeout`, a block with it, or `options`. */}}
{{- define "latchkey.operationTimeout" -}}
{{- $top := .Values.configuration.operationTimeout -}}
{{- if kindIs "map" $top }}{{ $top = $top.operationTimeout }}{{ end -}}
{{- $given := (default dict .Values.configuration.options).operationTimeout | default $top | default "30s" | toString -}}
{{- $units := dict "ms" 0.001 "s" 1.0 "m" 60.0 "h" 3600.0 -}}
{{- ceil (mulf (regexFind "^[0-9.]+" $given | float64) (get $units (regexFind "[a-z]+$" $given) | default 1.0)) -}}
{{- end -}}

{{/* How long a pod keeps serving after it was told to stop, because proxies may still send requests to it. */}}
{{- define "latchkey.preStopSeconds" -}}5{{- end -}}

{{- define "latchkey.gracePeriod" -}}
{{- $least := add (include "latchkey.operationTimeout" . | int) (include "latchkey.preStopSeconds" .) 1 -}}
{{- $given := .Values.terminationGracePeriodSeconds -}}
{{- if and $given (lt (int $given) (int $least)) -}}
{{- fail (printf "terminationGracePeriodSeconds: at least %d, so that every accepted request can be answered within the operation timeout" (int $least)) -}}
{{- end -}}
{{- default (add (include "latchkey.operationTimeout" . | int) 10) $given -}}
{{- end -}}

{{/* Rules that the schema cannot express. */}}
{{- define "latchkey.check" -}}
{{- if and (include "latchkey.embedded" .) (gt (int .Values.replicas) 1) -}}
{{- fail (printf "replicas: %d pods can't share the embedded database; write replicas: 1, or use MongoDB, PostgreSQL or DynamoDB (configuration.database.type)" (int .Values.replicas)) -}}
{{- end -}}
{{- with .Values.configuration.database.path -}}
{{- if not (regexMatch "^([.]?/)?data/" .) -}}
{{- fail (printf "configuration.database.path: only /data is writable and persistent; write /data/%s" (base .)) -}}
{{- end -}}
{{- end -}}
{{- if eq ((default dict .Values.configuration.secrets).provider | default "env") "env" -}}
{{- $known := keys (default dict .Values.secrets) -}}
{{- range .Values.env }}{{ $known = append $known .name }}{{ end -}}
{{- range without (splitList " " (include "latchkey.named" .)) "" -}}
{{- if not (has . $known) -}}
{{- fail (printf "secrets.%s: the configuration uses ${%s}; add the name of the Secret and its key" . .) -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- end -}}
