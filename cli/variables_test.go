package cli

import (
	"strings"
	"testing"

	"github.com/alecthomas/kong"
)

// TestCheckVariables: a mistyped variable is reported by its name only; settings of any command, files of
// secrets, keys of providers and the variables of Kubernetes are not reported.
func TestCheckVariables(t *testing.T) {
	line := struct {
		Flags    `embed:""`
		Settings ConfigCommand[served] `cmd:"" name:"config"`
	}{}
	parser, err := kong.New(&line)
	if err != nil {
		t.Fatal(err)
	}
	findings := checkVariables(parser.Model, []string{
		"FERMATA_LISTEN=:80", "FERMATA_INNER=x", "FERMATA_CONFIG=f", "FERMATA_PROVIDER_KEY_TEAM=sk", "PATH=/bin", "FERMATAX=1",
		"FERMATA_PORT=tcp://10.0.0.1:80", "FERMATA_PORT_80_TCP=x", "FERMATA_SERVICE_HOST=10.0.0.1", "FERMATA_SERVICE_PORT_HTTP=80",
		"FERMATA_SECRET_KEYS=very-secret-indeed", "FERMATA_LISTN=:81",
	})
	var reported []string
	for _, f := range findings {
		reported = append(reported, strings.Fields(f.Detail)[0])
		if strings.Contains(f.Detail+f.Fix, "secret-indeed") {
			t.Errorf("its value is shown: %v", f)
		}
	}
	if got := strings.Join(reported, " "); got != "FERMATA_LISTN FERMATA_SECRET_KEYS" {
		t.Errorf("reported are %q", got)
	}
	if !strings.Contains(findings[0].Fix, "FERMATA_LISTEN?") {
		t.Errorf("the fix is %q", findings[0].Fix)
	}
}
