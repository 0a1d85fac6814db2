{{- define "fermata.name" -}}
{{- printf "%s-%s" .Release.Name .Chart.Name | trunc 50 | trimSuffix "-" -}}
{{- end -}}

{{- define "fermata.selector" -}}
app.kubernetes.io/name: {{ .Chart.Name }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end -}}

{{- define "fermata.labels" -}}
{{ include "fermata.selector" . }}
app.kubernetes.io/version: {{ .Values.image.tag | default .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version }}
{{- end -}}

{{- define "fermata.pod" -}}
metadata:
  labels:
    {{- include "fermata.selector" . | nindent 4 }}
  {{- with .Values.podAnnotations }}
  annotations:
    {{- toYaml . | nindent 4 }}
  {{- end }}
spec:
  automountServiceAccountToken: false
  terminationGracePeriodSeconds: 30
  {{- with .Values.imagePullSecrets }}
  imagePullSecrets:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  securityContext:
    runAsNonRoot: true
    runAsUser: 65532
    runAsGroup: 65532
    fsGroup: 65532
    fsGroupChangePolicy: OnRootMismatch
    seccompProfile: {type: RuntimeDefault}
  containers:
    - name: fermata
      image: "{{ .Values.image.repository }}:{{ .Values.image.tag | default .Chart.AppVersion }}"
      imagePullPolicy: {{ .Values.image.pullPolicy }}
      args: [serve]
      securityContext:
        allowPrivilegeEscalation: false
        readOnlyRootFilesystem: true
        capabilities: {drop: [ALL]}
      env:
        - name: FERMATA_ROOT_KEY_FILE
          value: /run/secrets/fermata/root-key
        {{- if eq .Values.database "postgres" }}
        - name: FERMATA_SECRET_KEY_FILE
          value: /run/secrets/fermata/secret-key
        - name: FERMATA_DATABASE_URL_FILE
          value: /run/secrets/fermata/database-url
        {{- end }}
        - name: FERMATA_PUBLIC_URL
          value: {{ .Values.publicURL | default (printf "http://%s" (include "fermata.name" .)) | quote }}
        {{- if .Values.metrics.enabled }}
        - name: FERMATA_METRICS_LISTEN
          value: "0.0.0.0:{{ .Values.metrics.port }}"
        {{- end }}
        {{- if .Values.oidc.issuer }}
        {{- include "fermata.oidc" .Values.oidc | nindent 8 }}
        {{- end }}
        {{- range $name, $value := .Values.env }}
        - name: {{ $name }}
          value: {{ $value | quote }}
        {{- end }}
      ports:
        - {name: http, containerPort: 8080}
        {{- if .Values.metrics.enabled }}
        - {name: metrics, containerPort: {{ .Values.metrics.port }}}
        {{- end }}
      # A node that is busy with a migration or a recovery is alive: only the start is waited for.
      startupProbe:
        httpGet: {path: /healthz, port: http}
        periodSeconds: 2
        failureThreshold: 60
      livenessProbe:
        httpGet: {path: /healthz, port: http}
        periodSeconds: 10
        timeoutSeconds: 5
        failureThreshold: 6
      readinessProbe:
        httpGet: {path: /readyz, port: http}
        periodSeconds: 3
        timeoutSeconds: 3
        failureThreshold: 2
      resources:
        {{- toYaml .Values.resources | nindent 8 }}
      volumeMounts:
        - {name: secrets, mountPath: /run/secrets/fermata, readOnly: true}
        - {name: data, mountPath: /data}
        - {name: tmp, mountPath: /tmp}
  volumes:
    - name: secrets
      secret:
        secretName: {{ .Values.existingSecret }}
        defaultMode: 0440
    - name: tmp
      emptyDir: {sizeLimit: 1Gi}
    {{- if eq .Values.database "postgres" }}
    - name: data
      emptyDir: {}
    {{- else if .Values.persistence.existingClaim }}
    - name: data
      persistentVolumeClaim: {claimName: {{ .Values.persistence.existingClaim }}}
    {{- end }}
  {{- with .Values.nodeSelector }}
  nodeSelector:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- with .Values.tolerations }}
  tolerations:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- with .Values.affinity }}
  affinity:
    {{- toYaml . | nindent 4 }}
  {{- else }}
  affinity:
    podAntiAffinity:
      preferredDuringSchedulingIgnoredDuringExecution:
        - weight: 100
          podAffinityTerm:
            topologyKey: kubernetes.io/hostname
            labelSelector:
              matchLabels:
                {{- include "fermata.selector" . | nindent 16 }}
  {{- end }}
{{- end -}}

{{- define "fermata.oidc" -}}
- name: FERMATA_OIDC_ISSUER
  value: {{ .issuer | quote }}
- name: FERMATA_OIDC_CLIENT_ID
  value: {{ .clientID | quote }}
{{- if .clientSecret }}
- name: FERMATA_OIDC_CLIENT_SECRET_FILE
  value: /run/secrets/fermata/oidc-client-secret
{{- end }}
{{- with .roleClaim }}
- name: FERMATA_OIDC_ROLE_CLAIM
  value: {{ . | quote }}
{{- end }}
{{- with .roles }}
{{- $roles := list }}
{{- range $value, $role := . }}{{ $roles = append $roles (printf "%s=%s" $value $role) }}{{ end }}
- name: FERMATA_OIDC_ROLES
  value: {{ join "," $roles | quote }}
{{- end }}
{{- with .workspaceClaim }}
- name: FERMATA_OIDC_WORKSPACE_CLAIM
  value: {{ . | quote }}
{{- end }}
{{- end -}}
