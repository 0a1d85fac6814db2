package main

import (
	"slices"
	"strings"
	"testing"

	"github.com/alecthomas/kong"

	"github.com/fermata-dev/fermata/cli"
)

// without -o json, and why.
var without = map[string]string{
	"serve":      "its log is JSON where no person reads it",
	"acp":        "speaks a protocol",
	"completion": "prints a script of a shell",
	"man":        "prints a manual page",
}

func leaves(t *testing.T) []*kong.Node {
	t.Helper()
	parser, err := kong.New(&commandLine{}, kong.Name("fermata"), kong.Configuration(cli.ReadConfigFile))
	if err != nil {
		t.Fatal(err)
	}
	return parser.Model.Leaves(true)
}

// Every command that prints something can print it for programs too.
func TestEveryCommandPrintsJSON(t *testing.T) {
	seen := map[string]bool{}
	for _, command := range leaves(t) {
		path := command.FullPath()
		name := strings.TrimPrefix(path, "fermata ")
		i := slices.IndexFunc(command.Flags, func(f *kong.Flag) bool { return f.Name == "output" })
		has := i >= 0 && command.Flags[i].Short == 'o' && strings.Contains(command.Flags[i].Enum, "json")
		reason, excepted := without[name]
		if seen[name] = true; has == excepted {
			t.Errorf("%s: -o json %v, reason %q", path, has, reason)
		}
	}
	for name := range without {
		if !seen[name] {
			t.Errorf("there is no command %s", name)
		}
	}
	if len(seen) < 60 {
		t.Errorf("only %d commands were looked at", len(seen))
	}
}

// TestEverythingOnTheCommandLineIsExplained: each command, flag and argument has a sentence of help.
func TestEverythingOnTheCommandLineIsExplained(t *testing.T) {
	for _, command := range leaves(t) {
		path := command.FullPath()
		if !strings.HasSuffix(command.Help, ".") && !strings.HasSuffix(command.Help, ")") {
			t.Errorf("%s: %q is not a sentence", path, command.Help)
		}
		for _, flag := range command.Flags {
			if strings.TrimSpace(flag.Help) == "" && !flag.Hidden {
				t.Errorf("%s: --%s has no help", path, flag.Name)
			}
		}
		for _, arg := range command.Positional {
			if strings.TrimSpace(arg.Help) == "" {
				t.Errorf("%s: %s has no help", path, arg.Name)
			}
		}
	}
}
