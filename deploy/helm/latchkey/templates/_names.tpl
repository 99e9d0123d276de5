{{/* The name of all resources in the release. */}}
{{- define "latchkey.name" -}}
{{- if .Values.fullnameOverride -}}
{{- .Values.fullnameOverride | trunc 56 | trimSuffix "-" -}}
{{- else -}}
{{- $name := default .Chart.Name .Values.nameOverride -}}
{{- (contains $name .Release.Name | ternary .Release.Name (printf "%s-%s" .Release.Name $name)) | trunc 56 | trimSuffix "-" -}}
{{- end -}}
{{- end -}}

{{- define "latchkey.serviceAccount" -}}
{{- .Values.serviceAccount.create | ternary (include "latchkey.name" .) "default" | default .Values.serviceAccount.name -}}
{{- end -}}

{{/* Labels that select the pods of this release; they cannot change during the life of a release. */}}
{{- define "latchkey.selector" -}}
app.kubernetes.io/name: {{ default .Chart.Name .Values.nameOverride }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end -}}

{{- define "latchkey.labels" -}}
{{ include "latchkey.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version }}
{{- end -}}
