package cli

import (
	"strings"
	"testing"

	"github.com/alecthomas/kong"
)

// TestCheckVariables: a mistyped variable is told by its name alone; settings of any command,
// files of secrets, keys of providers and what Kubernetes sets are not.
func TestCheckVariables(t *testing.T) {
	line := struct {
		Flags    `embed:""`
		Settings ConfigCommand[served] `cmd:"" name:"config"`
	}{}
	parser, err := kong.New(&line)
	if err != nil {
		t.Fatal(err)
	}
	findings := CheckVariables(parser.Model, []string{
		"FERMATA_LISTEN=:80", "FERMATA_INNER=x", "FERMATA_CONFIG=f", "FERMATA_PROVIDER_KEY_TEAM=sk", "PATH=/bin", "FERMATAX=1",
		"FERMATA_PORT=tcp://10.0.0.1:80", "FERMATA_PORT_80_TCP=x", "FERMATA_SERVICE_HOST=10.0.0.1", "FERMATA_SERVICE_PORT_HTTP=80",
		"FERMATA_SECRET_KEYS=very-secret-indeed", "FERMATA_LISTN=:81",
	})
	var told []string
	for _, f := range findings {
		told = append(told, strings.Fields(f.Detail)[0])
		if strings.Contains(f.Detail+f.Mend, "secret-indeed") {
			t.Errorf("its value is told: %v", f)
		}
	}
	if got := strings.Join(told, " "); got != "FERMATA_LISTN FERMATA_SECRET_KEYS" {
		t.Errorf("told of %q", got)
	}
	if !strings.Contains(findings[0].Mend, "FERMATA_LISTEN?") {
		t.Errorf("what to do about it: %q", findings[0].Mend)
	}
}
