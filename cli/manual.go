package cli

import (
	"fmt"
	"io"

	"github.com/alecthomas/kong"

	"github.com/fermata-dev/fermata/cli/command"

	mangokong "github.com/alecthomas/mango-kong"

	completion "github.com/jotaen/kong-completion"
	"github.com/muesli/roff"
	"go.yaml.in/yaml/v3"
)

// ManualCommands document the program from its own definition.
type ManualCommands struct {
	Completion completionCommand `group:"Program" cmd:"" help:"Print a shell completion script: source <(fermata completion bash)."`
	Man        manCommand        `group:"Program" cmd:"" help:"Print the manual page: fermata man | man -l -."`
}

type completionCommand struct {
	Shell string `arg:"" help:"bash, zsh or fish." enum:"bash,zsh,fish"`
}

// Run prints the script.
func (c *completionCommand) Run(k *kong.Context) error {
	return (&completion.Completion{Shell: c.Shell, Code: true}).Run(k)
}

type manCommand struct{}

// Run prints the page.
func (*manCommand) Run(k *kong.Context, out io.Writer) error {
	page := mangokong.NewManPage(1, k.Model).
		WithSection("Exit status", command.ExitWords).
		WithSection("Files", "$XDG_STATE_HOME/fermata/chat-history: what was typed in chats.\n\n"+
			"fermata.yaml: a file with flags, named by --config or FERMATA_CONFIG.")
	if _, err := io.WriteString(out, page.Build(roff.NewDocument())); err != nil {
		return fmt.Errorf("print the manual page: %w", err)
	}
	return nil
}

// OpenAPICommand prints the API contract of this version.
type OpenAPICommand struct {
	Text   []byte `kong:"-"`
	Output string `help:"Output format: yaml or json." short:"o" enum:"yaml,json" default:"yaml"`
}

// Run prints the contract.
func (c *OpenAPICommand) Run(out io.Writer) error {
	if c.Output == "json" {
		var contract any
		if err := yaml.Unmarshal(c.Text, &contract); err != nil {
			return fmt.Errorf("read the contract: %w", err)
		}
		return command.PrintJSON(out, contract)
	}
	if _, err := out.Write(c.Text); err != nil {
		return fmt.Errorf("print the contract: %w", err)
	}
	return nil
}
