package doors

import (
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/fermata-dev/fermata/app/e2e/harness"
)

// typedIn are the commands of a page.
func typedIn(t *testing.T, page string) (all []string) {
	t.Helper()
	text, err := os.ReadFile("../../../docs/" + page)
	if err != nil {
		t.Fatal(err)
	}
	for _, block := range shell.FindAllStringSubmatch(string(text), -1) {
		all = append(all, block[1])
	}
	return all
}

// TestTheTutorial types what it says, in one terminal, on a fresh server: the zone, the tool, the
// entry that was approved and the run are there. The French one has the same commands.
func TestTheTutorial(t *testing.T) {
	if _, err := exec.LookPath("curl"); err != nil {
		t.Skip("there is no curl; scripts/need curl gets it")
	}
	steps := typedIn(t, "tutorial.md")
	if !slices.Equal(steps, typedIn(t, "tutoriel.md")) || len(steps) != 7 {
		t.Fatalf("the two tutorials do not have the same %d commands", len(steps))
	}
	s := newServer(t, harness.Databases["sqlite"](t))
	line := exec.CommandContext(t.Context(), "bash", "-euo", "pipefail", "-c", strings.ReplaceAll(strings.Join(steps, "\n"), "http://127.0.0.1:8080", s.URL))
	said, err := line.CombinedOutput()
	if err != nil {
		t.Fatalf("%v:\n%s", err, said)
	}
	for _, wanted := range []string{`"CREATE_ZONE"`, `"status":"open"`, `"value":7`, `"COMPLETE"`, `- the office closes at six`, `"AGENT"`, `"calls":`} {
		if !strings.Contains(string(said), wanted) {
			t.Errorf("%s is not in what it prints:\n%s", wanted, said)
		}
	}
	if zones := s.Call("GET", "/v1/zones", nil).Want(200); !strings.Contains(string(zones.Body), "Health") {
		t.Errorf("the zones are %s", zones.Body)
	}
}
