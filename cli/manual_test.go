package cli

import (
	"bytes"
	"context"
	"os/exec"
	"strings"
	"testing"

	"github.com/alecthomas/kong"

	"github.com/fermata-dev/fermata/cli/command"
)

// printed is what a command line of all commands prints.
func printed(t *testing.T, env string, args ...string) string {
	t.Helper()
	if env != "" {
		t.Setenv("COMP_LINE", env)
	}
	var out bytes.Buffer
	line := struct {
		Commands       `embed:""`
		ManualCommands `embed:""`
		OpenAPI        OpenAPICommand `cmd:"" name:"openapi"`
	}{OpenAPI: OpenAPICommand{Text: []byte("openapi: 3.1.0\n")}}
	cc := &command.Context{Context: context.Background(), Out: &out, Errors: &out}
	left := false
	err := run(&line, args, cc, kong.Exit(func(int) { left = true }))
	if err != nil && !left {
		t.Fatal(err)
	}
	return out.String()
}

func TestShellsAreHelped(t *testing.T) {
	for shell, wants := range map[string]string{"bash": "complete -o default", "zsh": "bashcompinit", "fish": "complete -f -c fermata"} {
		if got := printed(t, "", "completion", shell); !strings.Contains(got, wants) {
			t.Errorf("%s: %s", shell, got)
		}
	}
	if got := strings.Fields(printed(t, "fermata data im")); len(got) == 0 || got[0] != "import" {
		t.Errorf("completed with %q", got)
	}
}

func TestTheManualNamesEveryCommand(t *testing.T) {
	page := printed(t, "", "man")
	for _, name := range []string{"EXIT STATUS", "chat-history", "chat", "acp", "providers", "settings", "connectors", "completion", `\fB-o, --output`} {
		if !strings.Contains(page, name) {
			t.Errorf("%s is missing", name)
		}
	}
	groff, err := exec.LookPath("groff")
	if err != nil {
		return // what it looks like is seen where there is one
	}
	command := exec.CommandContext(t.Context(), groff, "-man", "-Tutf8", "-ww")
	command.Stdin = strings.NewReader(page)
	var complaints bytes.Buffer
	command.Stderr = &complaints
	if err := command.Run(); err != nil || strings.Contains(complaints.String(), "error") {
		t.Errorf("groff: %v %s", err, complaints.String())
	}
}

func TestTheContractIsPrinted(t *testing.T) {
	if got := printed(t, "", "openapi"); got != "openapi: 3.1.0\n" {
		t.Errorf("printed %q", got)
	}
}
