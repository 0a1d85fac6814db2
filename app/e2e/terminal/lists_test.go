package terminal

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/fermata-dev/fermata/app/e2e/harness"
)

// Each list of the command line is one that the server gives: in a table, and as JSON.
func TestEveryListIsTheServers(t *testing.T) {
	s := harness.NewServer(t, harness.Databases["sqlite"](t))
	s.Say(s.Chat(), "create a zone Health")
	for command, head := range map[string]string{
		"sessions list": "ID", "automations list": "ID", "webhooks list": "ID", "connectors list": "ID", "files list": "ID",
		"tasks list": "ID", "agents list": "ID", "providers list": "ID", "providers kinds": "KIND", "keys list": "ID",
		"data zones": "ID", "data tools": "ID", "data documents": "ID", "settings": "", "approve": "",
	} {
		out, _ := s.Types("", strings.Fields(command)...)
		if !strings.HasPrefix(out, head) {
			t.Errorf("%s prints\n%s", command, out)
		}
		out, _ = s.Types("", append(strings.Fields(command), "-o", "json")...)
		if !json.Valid([]byte(out)) {
			t.Errorf("%s prints as JSON\n%s", command, out)
		}
	}
}
