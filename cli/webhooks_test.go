package cli

import (
	"strings"
	"testing"

	"github.com/fermata-dev/fermata/cli/clitest"
	"github.com/fermata-dev/fermata/cli/command"
)

// Links are asked for when a webhook is made, and changed later; what is not named stays.
func TestWebhooksAreMadeAndChanged(t *testing.T) {
	const hook = `{"id":"whk_1","url":"https://there.example/","types":["approval.requested"],"enabled":true,"links":true,"secret":"whsec_1"}`
	for line, want := range map[string]string{
		"add https://there.example/ approval.requested --links":                `{"links":true,"types":["approval.requested"],"url":"https://there.example/"}`,
		"add https://there.example/ approval.requested":                        `{"links":false,"types":["approval.requested"],"url":"https://there.example/"}`,
		"change whk_1 --links":                                                 `{"links":true}`,
		"change whk_1 --no-links --no-enable":                                  `{"enabled":false,"links":false}`,
		"change whk_1 --types notice,session.ended --to https://here.example/": `{"types":["notice","session.ended"],"url":"https://here.example/"}`,
	} {
		t.Run(line, func(t *testing.T) {
			f := clitest.NewAPI(t)
			f.Answers("POST /v1/webhooks", 201, hook)
			f.Answers("PATCH /v1/webhooks/whk_1", 200, hook)
			cc, out := clitest.Context(t, strings.NewReader(""))
			var commands struct {
				Webhooks webhooksCommand `cmd:""`
			}
			args := append([]string{"webhooks"}, strings.Fields(line)...)
			if err := Run(&commands, append(args, "--url", f.URL), cc); err != nil {
				t.Fatal(err)
			}
			if sent := f.Seen(""); len(sent) != 1 || strings.TrimSpace(sent[0].Body) != want {
				t.Errorf("sent %+v, want %s", sent, want)
			}
			if strings.HasPrefix(line, "change") {
				clitest.Wants(t, out.String(), "whk_1: good, approval.requested with links, https://there.example/")
			}
		})
	}
	f := clitest.NewAPI(t)
	if _, err := typed(t, f, "", "webhooks", "change", "whk_1"); command.ExitCode(err) != command.ExitMisused || len(f.Seen("")) != 0 {
		t.Errorf("a change of nothing: %v", err)
	}
}
