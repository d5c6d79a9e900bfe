{{- define "laneway.security" -}}
runAsNonRoot: true
runAsUser: 65532
fsGroup: 65532
seccompProfile:
  type: RuntimeDefault
{{- end }}
{{- define "laneway.container" -}}
image: {{ required "image is empty: build one as docs/autoscale.md says, and name it" .Values.image }}
resources:
  {{- toYaml .Values.resources | nindent 2 }}
securityContext:
  allowPrivilegeEscalation: false
  readOnlyRootFilesystem: true
  capabilities:
    drop: ["ALL"]
{{- end }}
{{- define "laneway.bootstrap" -}}
--bootstrap={{ required "bootstrap is empty: name brokers, such as kafka:9092" .Values.bootstrap }}
{{- end }}
{{- define "laneway.claim" -}}
apiVersion: v1
kind: PersistentVolumeClaim
metadata:
  name: {{ .name }}
spec:
  accessModes: ["ReadWriteOnce"]
  resources:
    requests:
      storage: {{ .storage }}
{{- end }}
