package main

import (
	"bytes"
	"context"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/alecthomas/kong"

	"github.com/fermata-dev/fermata/cli"
	"github.com/fermata-dev/fermata/cli/command"
	"github.com/fermata-dev/fermata/internal/clock"
)

// fullDisk accepts a number of bytes, and then fails.
type fullDisk struct{ room int }

func (d *fullDisk) Write(b []byte) (int, error) {
	n := min(d.room, len(b))
	if d.room -= n; n < len(b) {
		return n, syscall.ENOSPC
	}
	return n, nil
}

// everyHelp lists the command lines for help, for each command and each group.
func everyHelp(t *testing.T) (all [][]string) {
	t.Helper()
	parser, err := kong.New(&commandLine{}, kong.Name("fermata"), kong.Configuration(cli.ReadConfigFile))
	if err != nil {
		t.Fatal(err)
	}
	var walk func(node *kong.Node)
	walk = func(node *kong.Node) {
		path := strings.Fields(node.FullPath())[1:]
		all = append(all, append(slices.Clone(path), "--help"), append([]string{"help"}, path...))
		for _, child := range node.Children {
			walk(child)
		}
	}
	walk(parser.Model.Node)
	return all
}

// TestAFullDiskIsNoSuccess: if the output cannot be written completely, the exit code and one sentence report it.
// (For commands that call a server: TestListsOntoAFullDisk.)
func TestAFullDiskIsNoSuccess(t *testing.T) {
	t.Setenv("FERMATA_DATA_DIR", t.TempDir())
	all := [][]string{nil, {"version"}, {"version", "-o", "json"}, {"--version"}, {"-V"}, {"openapi"}, {"openapi", "-o", "json"}, {"man"},
		{"completion", "bash"}, {"completion", "zsh"}, {"completion", "fish"}, {"config"}, {"config", "print"}, {"config", "print", "-o", "json"},
		{"doctor", "--url", "http://127.0.0.1:1"}, {"doctor", "--url", "http://127.0.0.1:1", "-o", "json"}, {"migrate"}, {"migrate", "-o", "json"},
		{"upgrade-check"}, {"upgrade-check", "-o", "json"}}
	for _, args := range append(all, everyHelp(t)...) {
		rooms := []int{0, 5}
		if slices.Contains(args, "--help") || slices.Index(args, "help") == 0 {
			rooms = rooms[1:] // one writer prints all of them
		}
		for _, room := range rooms {
			var beside bytes.Buffer
			err := cli.Run(&commandLine{OpenAPI: cli.OpenAPICommand{Text: []byte("openapi: 3.1.0\n")}}, args, &command.Context{
				Context: context.WithoutCancel(t.Context()), Version: "dev", Commit: "test", In: strings.NewReader(""),
				Out: &fullDisk{room}, Errors: &beside, Clock: clock.System,
			})
			if err == nil || command.ExitCode(err) != 1 || err.Error() != "the output could not be written completely: no space left on device" {
				t.Errorf("fermata %s, room for %d: exit code %d, %v", strings.Join(args, " "), room, command.ExitCode(err), err)
			}
			if beside.Len() > 0 {
				t.Errorf("fermata %s: on standard error %s", strings.Join(args, " "), beside.String())
			}
		}
	}
}
