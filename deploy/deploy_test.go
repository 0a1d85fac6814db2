package deploy

import (
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"github.com/fermata-dev/fermata/app"
)

// known are the variables that the server reads.
func known(of reflect.Type) (names []string) {
	for field := range of.Fields() {
		if name := field.Tag.Get("env"); name != "" {
			names = append(names, name)
		}
		if field.Type.Kind() == reflect.Struct {
			names = append(names, known(field.Type)...)
		}
	}
	return names
}

// TestEveryVariableIsOne: a name that was mistyped or renamed sets nothing, in silence.
func TestEveryVariableIsOne(t *testing.T) {
	names := append(known(reflect.TypeFor[app.Config]()), "FERMATA_VERSION") // of the image, in Compose
	variable := regexp.MustCompile(`FERMATA_[A-Z0-9_]*[A-Z0-9]`)
	files := []string{"../Dockerfile"}
	err := filepath.WalkDir(".", func(path string, entry fs.DirEntry, err error) error {
		if err == nil && !entry.IsDir() && filepath.Ext(path) != ".go" && filepath.Base(path) != "values.schema.json" {
			files = append(files, path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	found := 0
	for _, path := range files {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range variable.FindAllString(string(text), -1) {
			found++
			if !slices.Contains(names, name) {
				t.Errorf("%s names %s, which the server does not read", path, name)
			}
		}
	}
	if found < 20 {
		t.Errorf("only %d variables were found", found)
	}
}

// compose is what the tests look at of a Compose file.
type compose struct {
	Services map[string]struct {
		Image    string
		ReadOnly bool     `yaml:"read_only"`
		CapDrop  []string `yaml:"cap_drop"`
		Secrets  []string
		Volumes  []string
		Ports    []string
	}
	Volumes map[string]any
	Secrets map[string]struct{ File string }
}

func TestCompose(t *testing.T) {
	files, err := filepath.Glob("compose/*.yaml")
	if err != nil || len(files) != 3 {
		t.Fatalf("%v, %v", files, err)
	}
	for _, path := range files {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		var c compose
		if err := yaml.Unmarshal(text, &c); err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		for name, s := range c.Services {
			for _, secret := range s.Secrets {
				if c.Secrets[secret].File == "" {
					t.Errorf("%s: %s has the secret %s, which is no file", path, name, secret)
				}
			}
			for _, volume := range s.Volumes {
				source, _, _ := strings.Cut(volume, ":")
				_, named := c.Volumes[source]
				if _, err := os.Stat(filepath.Join("compose", source)); !named && err != nil {
					t.Errorf("%s: %s mounts %s, which is nowhere", path, name, source)
				}
			}
			for _, port := range s.Ports {
				if !strings.HasPrefix(port, "127.0.0.1:") {
					t.Errorf("%s: %s is open to the network at %s", path, name, port)
				}
			}
			if strings.HasPrefix(s.Image, "fermata:") && (!s.ReadOnly || !slices.Equal(s.CapDrop, []string{"ALL"})) {
				t.Errorf("%s: %s may more than it needs", path, name)
			}
		}
	}
}

// TestUnit: systemd reads the unit, and finds little that a process of it could do.
func TestUnit(t *testing.T) {
	analyze, err := exec.LookPath("systemd-analyze")
	if err != nil {
		t.Skip("there is no systemd-analyze: scripts/need systemd installs it")
	}
	text, err := os.ReadFile("systemd/fermata.service")
	if err != nil {
		t.Fatal(err)
	}
	unit := filepath.Join(t.TempDir(), "fermata.service")
	there := strings.Replace(string(text), "ExecStart=/usr/local/bin/fermata", "ExecStart=/bin/true", 1) // it is looked for
	if err := os.WriteFile(unit, []byte(there), 0o600); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command(analyze, "verify", unit).CombinedOutput(); err != nil || strings.Contains(string(out), "fermata.service:") {
		t.Errorf("systemd does not take the unit: %v\n%s", err, out)
	}
	// The exposure is from 0 to 100; 20 is what systemd calls OK.
	if out, err := exec.Command(analyze, "security", "--offline=yes", "--threshold=20", unit).CombinedOutput(); err != nil {
		t.Errorf("systemd finds the unit too open: %v\n%s", err, out)
	}
}

// TestAlerts: the real promtool reads the rules and the configuration, and plays the rules on
// series that should and should not set them off.
func TestAlerts(t *testing.T) {
	promtool, err := exec.LookPath("promtool")
	if err != nil {
		t.Skip("there is no promtool: scripts/need prometheus installs it")
	}
	for _, args := range [][]string{
		{"check", "rules", "alerts.yaml"}, {"test", "rules", "alerts_test.yaml"}, {"check", "config", "prometheus.yml"},
	} {
		command := exec.Command(promtool, args...)
		command.Dir = "prometheus"
		if out, err := command.CombinedOutput(); err != nil {
			t.Errorf("promtool %v: %v\n%s", args, err, out)
		}
	}
}

// TestBothConfigurationsOfNginxAreOne: that of the three nodes is the other one in its frame.
func TestBothConfigurationsOfNginxAreOne(t *testing.T) {
	lines := func(path string) (inside []string) {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		_, location, _ := strings.Cut(string(text), "location / {")
		location, _, _ = strings.Cut(location, "}")
		for line := range strings.Lines(location) {
			if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "#") {
				inside = append(inside, line)
			}
		}
		return inside
	}
	one, three := lines("nginx/fermata.conf"), lines("nginx/three-nodes.conf")
	if len(one) < 10 || !slices.Equal(one, three) {
		t.Errorf("for one's own nginx: %v\nfor three nodes: %v", one, three)
	}
}
