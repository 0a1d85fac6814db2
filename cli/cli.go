package cli

import (
	"context"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/alecthomas/kong"
	"github.com/charmbracelet/x/term"

	"github.com/fermata-dev/fermata/cli/chat"
	"github.com/fermata-dev/fermata/cli/command"
	"github.com/fermata-dev/fermata/cli/doctor"

	completion "github.com/jotaen/kong-completion"

	"github.com/fermata-dev/fermata/internal/clock"
)

// Flags are common to all commands.
type Flags struct {
	Config kong.ConfigFlag `help:"YAML file with flags (underscores instead of dashes)." env:"FERMATA_CONFIG" placeholder:"FILE"`
	Print  versionFlag     `name:"version" help:"Print the version." short:"V"`
}

// Commands use a running server through its API.
type Commands struct {
	Chat        chat.Command         `group:"Talk" cmd:"" help:"Chat in the terminal, with streaming answers and approvals."`
	ACP         acpCommand           `group:"Talk" cmd:"" name:"acp" help:"Serve an editor over the Agent Client Protocol; started by editors."`
	Tail        tailCommand          `group:"Talk" cmd:"" help:"Show events as they happen."`
	Sessions    sessionsCommand      `group:"Talk" cmd:"" help:"List sessions; retry a round, choose an answer, fork, explain a status."`
	Approve     chat.ApproveCommand  `group:"Talk" cmd:"" help:"List open approvals and questions, or answer one."`
	Automations automationsCommand   `group:"Work" cmd:"" help:"List, run, enable, disable, export and import automations."`
	Webhooks    webhooksCommand      `group:"Connect" cmd:"" help:"List, add, test, replay, rotate and delete webhooks, and show their deliveries."`
	Connectors  connectorsCommand    `group:"Connect" cmd:"" help:"List, add, test and change connectors: external servers whose commands the AI may use."`
	Files       filesCommand         `group:"Workspace" cmd:"" help:"List, upload, download and delete files."`
	Tasks       tasksCommand         `group:"Work" cmd:"" help:"List, follow and cancel tasks of external services."`
	Agents      agentsCommand        `group:"Work" cmd:"" help:"List, create, change and try agents: assistants that the AI may call."`
	Providers   providersCommand     `group:"Connect" cmd:"" help:"List, add, test and change model providers."`
	Settings    settingsCommand      `group:"Workspace" cmd:"" help:"Show or change the workspace's settings."`
	People      peopleCommand        `group:"Workspace" cmd:"" help:"List, name and block the people of the workspace; issue tokens for a program's users."`
	Data        dataCommand          `group:"Workspace" cmd:"" help:"List zones, tools, entries and documents; import and export entries as CSV."`
	Health      doctor.HealthCommand `group:"Server" cmd:"" help:"Check whether the server is ready, for container engines and supervisors."`
}

// Process is the context of this process.
func Process(version, commit string) *command.Context {
	terminal := movesCursor(isTerminal(os.Stdout), os.Getenv("TERM"))
	return &command.Context{
		Context: context.Background(), Version: version, Commit: commit,
		In: os.Stdin, Out: os.Stdout, Errors: os.Stderr, Clock: clock.System,
		Interactive: isTerminal(os.Stdin), Terminal: terminal, Colour: terminal && os.Getenv("NO_COLOR") == "",
	}
}

// Run executes a command line. line points to its definition; the Run method of a command may take the *Context.
func Run(line any, args []string, cc *command.Context) error { return run(line, args, cc) }

func run(line any, args []string, with *command.Context, more ...kong.Option) error {
	if err := forgetEmpty(os.Environ()); err != nil {
		return err
	}
	cc, out := *with, &written{to: with.Out}
	if !cc.Terminal { // in a terminal, write errors need no check, and editors and consoles need the file itself
		cc.Out = out
	}
	parser, err := kong.New(line, append(more, kong.Name("fermata"), kong.Writers(cc.Out, cc.Errors),
		kong.Description("Fermata runs AI sessions that hold for a person, a network or a slot, and lose nothing.\n\n"+
			"Start with `fermata serve`, and `fermata chat` in another terminal."),
		kong.ConfigureHelp(kong.HelpOptions{Compact: true, NoExpandSubcommands: true}), kong.Configuration(ReadConfigFile), kong.Bind(&cc),
		kong.BindTo(cc.Context, (*context.Context)(nil)), kong.BindTo(cc.Out, (*io.Writer)(nil)))...)
	if err != nil {
		return fmt.Errorf("parse the definition of the command line: %w", err)
	}
	completion.Register(parser) // exits when a shell requests completions
	parsed, err := parser.Parse(orHelp(args))
	switch {
	case out.err != nil: // help and version are printed during parsing
		return out.whole(nil)
	case err != nil:
		return command.Misused(fmt.Errorf("%w (see: fermata --help)", err))
	}
	cc.Variables = checkVariables(parsed.Model, os.Environ())
	return out.whole(parsed.Run())
}

// forgetEmpty unsets empty FERMATA_ variables. Compose files and charts set every name they know: an
// empty value means that none was chosen.
func forgetEmpty(environ []string) error {
	for _, variable := range environ {
		if name, value, _ := strings.Cut(variable, "="); value == "" && strings.HasPrefix(name, ourVariables) {
			if err := os.Unsetenv(name); err != nil {
				return fmt.Errorf("unset the empty variable %s: %w", name, err)
			}
		}
	}
	return nil
}

// orHelp shows the help for an empty command line, and for the usual alternatives: fermata help, fermata help chat.
func orHelp(args []string) []string {
	switch {
	case len(args) == 0:
		return []string{"--help"}
	case args[0] == "help":
		return append(slices.Clone(args[1:]), "--help")
	}
	return args
}

// movesCursor reports whether the output may contain escape sequences. A dumb terminal, such as an editor's, displays them.
func movesCursor(terminal bool, kind string) bool { return terminal && kind != "dumb" }

// versionFlag prints the version, in any position.
type versionFlag bool

// BeforeReset runs before kong requires a command.
func (versionFlag) BeforeReset(parser *kong.Kong, cc *command.Context) error {
	if err := (VersionCommand{}).Run(cc); err != nil {
		return err
	}
	parser.Exit(0)
	return nil
}

// isTerminal is true only for terminals, not for other devices such as /dev/null and /dev/full.
func isTerminal(f *os.File) bool { return term.IsTerminal(f.Fd()) }

// VersionCommand prints the version.
type VersionCommand struct {
	Output string `help:"Output format: text or json." short:"o" enum:"text,json" default:"text"`
}

// Run prints the version.
func (v VersionCommand) Run(c *command.Context) error {
	if v.Output == "json" {
		return command.PrintJSON(c.Out, map[string]string{"version": c.Version, "commit": c.Commit})
	}
	_, err := fmt.Fprintf(c.Out, "fermata %s (%s)\n", c.Version, c.Commit)
	return err
}
