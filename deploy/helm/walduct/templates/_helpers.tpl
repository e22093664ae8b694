{{- define "walduct.name" -}}
{{- if contains .Chart.Name .Release.Name }}{{ .Release.Name | trunc 52 | trimSuffix "-" }}{{ else }}{{ printf "%s-%s" .Release.Name .Chart.Name | trunc 52 | trimSuffix "-" }}{{ end }}
{{- end }}

{{- define "walduct.selector" -}}
app.kubernetes.io/name: {{ .Chart.Name }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "walduct.labels" -}}
{{ include "walduct.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version | replace "+" "_" }}
{{- end }}

{{- define "walduct.image" -}}
{{- if .Values.image.digest }}{{ .Values.image.repository }}@{{ .Values.image.digest }}{{ else }}{{ .Values.image.repository }}:{{ .Values.image.tag | default .Chart.AppVersion }}{{ end }}
{{- end }}

{{- /* Numbers as they were written: a large one is no power of ten. */ -}}
{{- define "walduct.text" -}}
{{- if kindIs "string" . }}{{ . }}{{ else }}{{ toJson . }}{{ end }}
{{- end }}

{{- /* The worker file: a line for each property that has a value. Those of serve alone are left out of mode run. */ -}}
{{- define "walduct.worker" -}}
{{- if not (index .Values.worker "bootstrap.servers") }}{{ fail "worker.bootstrap\\.servers is required: --set 'worker.bootstrap\\.servers=kafka:9092'" }}{{ end -}}
{{- $serve := list "group.id" "config.storage.topic" "status.storage.topic" -}}
{{- $lines := list -}}
{{- range $name, $value := .Values.worker }}
{{- $text := tpl (include "walduct.text" $value) $ }}
{{- if contains "\n" $text }}{{ fail (printf "worker.%s: a value is one line" $name) }}{{ end }}
{{- if not (or (eq $text "") (eq $text "null") (and (eq $.Values.mode "run") (has $name $serve))) }}
{{- $lines = append $lines (printf "%s=%s" $name $text) }}
{{- end }}
{{- end }}
{{- if and (eq .Values.mode "serve") (not (hasKey .Values.worker "listeners")) }}
{{- $lines = append $lines (printf "listeners=http://0.0.0.0:%v" .Values.service.port) }}
{{- end }}
{{- join "\n" $lines }}
{{- end }}
