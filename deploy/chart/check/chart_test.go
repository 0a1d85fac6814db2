// Package check renders the chart as Helm does, and reads the result as the API server
// does: strictly, so that a field in the wrong place fails.
package check

import (
	"maps"
	"strings"
	"testing"

	"helm.sh/helm/v3/pkg/chart/loader"
	"helm.sh/helm/v3/pkg/chartutil"
	"helm.sh/helm/v3/pkg/engine"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	policyv1 "k8s.io/api/policy/v1"
	"sigs.k8s.io/yaml"
)

type values = map[string]any

// render gives the objects of the chart by kind, or the error that the person would see.
func render(t *testing.T, v values) (map[string]any, error) {
	t.Helper()
	chart, err := loader.Load("..")
	if err != nil {
		t.Fatal(err)
	}
	with, err := chartutil.ToRenderValues(chart, v, chartutil.ReleaseOptions{Name: "demo", Namespace: "default"}, chartutil.DefaultCapabilities)
	if err != nil {
		return nil, err
	}
	files, err := engine.Render(chart, with)
	if err != nil {
		return nil, err
	}
	objects := map[string]any{}
	for name, text := range files {
		if !strings.HasSuffix(name, ".yaml") || strings.TrimSpace(text) == "" {
			continue
		}
		var kind struct{ Kind string }
		if err := yaml.Unmarshal([]byte(text), &kind); err != nil {
			t.Fatalf("%s: %v\n%s", name, err, text)
		}
		object := map[string]any{
			"Deployment": &appsv1.Deployment{}, "StatefulSet": &appsv1.StatefulSet{}, "Service": &corev1.Service{},
			"Ingress": &networkingv1.Ingress{}, "PodDisruptionBudget": &policyv1.PodDisruptionBudget{},
		}[kind.Kind]
		if object == nil {
			t.Fatalf("%s: a %q that this test does not know", name, kind.Kind)
		}
		if err := yaml.UnmarshalStrict([]byte(text), object); err != nil {
			t.Fatalf("%s is no %s: %v\n%s", name, kind.Kind, err, text)
		}
		objects[kind.Kind] = object
	}
	return objects, nil
}

func TestWithSQLite(t *testing.T) {
	objects, err := render(t, values{"existingSecret": "keys"})
	if err != nil {
		t.Fatal(err)
	}
	set := objects["StatefulSet"].(*appsv1.StatefulSet)
	if objects["Deployment"] != nil || objects["PodDisruptionBudget"] != nil || *set.Spec.Replicas != 1 || len(set.Spec.VolumeClaimTemplates) != 1 {
		t.Errorf("%+v", objects)
	}
	checkPod(t, &set.Spec.Template, "FERMATA_DATABASE_URL_FILE", false)
}

func TestWithPostgreSQL(t *testing.T) {
	objects, err := render(t, values{
		"existingSecret": "keys", "database": "postgres", "replicas": 3, "publicURL": "https://fermata.example",
		"env": values{"FERMATA_LOG_LEVEL": "debug"}, "ingress": values{"enabled": true, "tlsSecret": "tls"},
	})
	if err != nil {
		t.Fatal(err)
	}
	deployment := objects["Deployment"].(*appsv1.Deployment)
	if *deployment.Spec.Replicas != 3 || objects["StatefulSet"] != nil || objects["PodDisruptionBudget"] == nil || objects["Ingress"] == nil {
		t.Errorf("%+v", objects)
	}
	service := objects["Service"].(*corev1.Service)
	for name, value := range service.Spec.Selector {
		if deployment.Spec.Template.Labels[name] != value {
			t.Errorf("the service looks for %s=%s, and the pods have %q", name, value, deployment.Spec.Template.Labels[name])
		}
	}
	checkPod(t, &deployment.Spec.Template, "FERMATA_DATABASE_URL_FILE", true)
}

func TestPeopleSignIn(t *testing.T) {
	variables := func(oidc values) map[string]string {
		t.Helper()
		objects, err := render(t, values{"existingSecret": "keys", "database": "postgres", "oidc": oidc})
		if err != nil {
			t.Fatal(err)
		}
		found := map[string]string{}
		for _, e := range objects["Deployment"].(*appsv1.Deployment).Spec.Template.Spec.Containers[0].Env {
			if strings.HasPrefix(e.Name, "FERMATA_OIDC_") {
				found[e.Name] = e.Value
			}
		}
		return found
	}
	if got := variables(values{}); len(got) > 0 {
		t.Errorf("without an issuer: %v", got)
	}
	want := map[string]string{
		"FERMATA_OIDC_ISSUER": "https://sso.example", "FERMATA_OIDC_CLIENT_ID": "fermata",
		"FERMATA_OIDC_CLIENT_SECRET_FILE": "/run/secrets/fermata/oidc-client-secret",
		"FERMATA_OIDC_ROLE_CLAIM":         "groups", "FERMATA_OIDC_ROLES": "ops=admin,staff=member",
	}
	given := values{"issuer": "https://sso.example", "clientID": "fermata", "roleClaim": "groups", "roles": values{"staff": "member", "ops": "admin"}}
	if got := variables(given); !maps.Equal(got, want) {
		t.Errorf("%v\nshould be\n%v", got, want)
	}
	given["clientSecret"] = false
	if got := variables(given); got["FERMATA_OIDC_CLIENT_SECRET_FILE"] != "" {
		t.Error("a public client has no secret to look for")
	}
}

// checkPod checks an unprivileged process, the minimum of writable paths, and a volume for every mount.
func checkPod(t *testing.T, pod *corev1.PodTemplateSpec, variable string, want bool) {
	t.Helper()
	c := pod.Spec.Containers[0]
	if s := c.SecurityContext; !*s.ReadOnlyRootFilesystem || *s.AllowPrivilegeEscalation || !*pod.Spec.SecurityContext.RunAsNonRoot {
		t.Error("the process may more than it needs")
	}
	if c.LivenessProbe == nil || c.ReadinessProbe.HTTPGet.Path != "/readyz" || c.StartupProbe == nil {
		t.Error("a probe is missing")
	}
	volumes := map[string]bool{"data": true} // of a claim template
	for _, v := range pod.Spec.Volumes {
		volumes[v.Name] = true
	}
	for _, m := range c.VolumeMounts {
		if !volumes[m.Name] {
			t.Errorf("nothing is mounted at %s", m.MountPath)
		}
	}
	found := false
	for _, e := range c.Env {
		found = found || e.Name == variable
		if strings.Contains(e.Name, "KEY") && !strings.HasSuffix(e.Name, "_FILE") {
			t.Errorf("%s is not a secret", e.Name)
		}
	}
	if found != want {
		t.Errorf("%s is given: %v", variable, found)
	}
}

func TestWrongValuesAreRefused(t *testing.T) {
	for name, v := range map[string]values{
		"no secret":                 {},
		"two nodes with SQLite":     {"existingSecret": "keys", "replicas": 2},
		"an unknown value":          {"existingSecret": "keys", "replica": 2},
		"an unknown database":       {"existingSecret": "keys", "database": "mysql"},
		"a variable of others":      {"existingSecret": "keys", "env": values{"LD_PRELOAD": "x"}},
		"an issuer without client":  {"existingSecret": "keys", "oidc": values{"issuer": "https://sso.example"}},
		"root by a claim":           {"existingSecret": "keys", "oidc": values{"issuer": "https://sso.example", "clientID": "f", "roles": values{"ops": "root"}}},
		"a public URL that is none": {"existingSecret": "keys", "publicURL": "fermata.example"},
	} {
		if _, err := render(t, v); err == nil {
			t.Errorf("%s: it is rendered", name)
		}
	}
}
