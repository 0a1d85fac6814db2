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
	completion "github.com/jotaen/kong-completion"

	"github.com/fermata-dev/fermata/internal/clock"
)

// Flags stand in front of every command.
type Flags struct {
	Config kong.ConfigFlag `help:"YAML file of flags (underscores for dashes)." env:"FERMATA_CONFIG" placeholder:"FILE"`
	Print  versionFlag     `name:"version" help:"Print the version." short:"V"`
}

// Commands talk to a running server over its API.
type Commands struct {
	Chat        chatCommand        `group:"Talk" cmd:"" help:"Talk in the terminal; answers stream, approvals are asked for."`
	ACP         acpCommand         `group:"Talk" cmd:"" name:"acp" help:"Serve an editor that speaks the Agent Client Protocol; editors start it."`
	Tail        tailCommand        `group:"Talk" cmd:"" help:"Show events as they happen."`
	Sessions    sessionsCommand    `group:"Talk" cmd:"" help:"List sessions; run a round again, choose an answer, make a fork, ask why."`
	Approve     approveCommand     `group:"Talk" cmd:"" help:"List what waits for a person, or answer it."`
	Automations automationsCommand `group:"Work" cmd:"" help:"List automations; run, enable, disable, export and import them."`
	Webhooks    webhooksCommand    `group:"Connect" cmd:"" help:"List webhooks; add, test, replay, rotate and delete them, and see what they were sent."`
	Connectors  connectorsCommand  `group:"Connect" cmd:"" help:"List servers outside whose commands the AI may use; add, test and change them."`
	Files       filesCommand       `group:"Workspace" cmd:"" help:"List, upload, download and delete files that messages refer to."`
	Tasks       tasksCommand       `group:"Work" cmd:"" help:"List the work that goes on at other services; follow and cancel it."`
	Agents      agentsCommand      `group:"Work" cmd:"" help:"List the assistants that the AI may call; make, change and try them."`
	Providers   providersCommand   `group:"Connect" cmd:"" help:"List providers of models; add, test and change them."`
	Settings    settingsCommand    `group:"Workspace" cmd:"" help:"Show the workspace's settings, or change them."`
	Data        dataCommand        `group:"Workspace" cmd:"" help:"List zones, tools, entries and documents; entries in and out as CSV."`
	Health      healthCommand      `group:"Server" cmd:"" help:"Say whether the server is ready; for container engines and supervisors."`
}

// Context is what the client's commands have of the outside world.
type Context struct {
	context.Context
	Version     string // of this program
	Commit      string
	In          io.Reader
	Out         io.Writer
	Errors      io.Writer
	Clock       clock.Clock
	Interactive bool // a person types: questions can be asked
	Terminal    bool // a person reads: the cursor can be moved
	Colour      bool
	Signals     <-chan os.Signal // Ctrl-C, for commands that take it themselves
}

// Process is the context of a program that was started in a terminal, or by another one.
func Process(version, commit string) *Context {
	terminal := movesCursor(isTerminal(os.Stdout), os.Getenv("TERM"))
	return &Context{
		Context: context.Background(), Version: version, Commit: commit,
		In: os.Stdin, Out: os.Stdout, Errors: os.Stderr, Clock: clock.System,
		Interactive: isTerminal(os.Stdin), Terminal: terminal, Colour: terminal && os.Getenv("NO_COLOR") == "",
	}
}

// Run carries out a command line. line is a pointer to the struct that says which flags
// and commands there are; the Run method of a command may take the *Context.
func Run(line any, args []string, cc *Context) error { return run(line, args, cc) }

func run(line any, args []string, with *Context, more ...kong.Option) error {
	if err := forgetEmpty(os.Environ()); err != nil {
		return err
	}
	cc, out := *with, &written{to: with.Out}
	if !cc.Terminal { // which is not a disk, and which editors and consoles want as it is
		cc.Out = out
	}
	parser, err := kong.New(line, append(more, kong.Name("fermata"), kong.Writers(cc.Out, cc.Errors),
		kong.Description("Fermata runs AI sessions that hold for a person, a network or a slot, and lose nothing.\n\n"+
			"Begin with `fermata serve`, and `fermata chat` in another terminal."),
		kong.ConfigureHelp(kong.HelpOptions{Compact: true, NoExpandSubcommands: true}), kong.Configuration(ReadConfigFile), kong.Bind(&cc),
		kong.BindTo(cc.Context, (*context.Context)(nil)), kong.BindTo(cc.Out, (*io.Writer)(nil)))...)
	if err != nil {
		return fmt.Errorf("read the command line's own definition: %w", err)
	}
	completion.Register(parser) // ends the program where a shell asks
	parsed, err := parser.Parse(orHelp(args))
	switch {
	case out.err != nil: // help and the version are printed while the line is read
		return out.whole(nil)
	case err != nil:
		return usageError{fmt.Errorf("%w (see: fermata --help)", err)}
	}
	return out.whole(parsed.Run())
}

// forgetEmpty unsets the variables of ours that are empty. Compose files and charts set every name
// they know: an empty value means that nobody chose one.
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

// orHelp asks for help where nothing is asked, and where people ask in the way of other
// programs: fermata help, fermata help chat.
func orHelp(args []string) []string {
	switch {
	case len(args) == 0:
		return []string{"--help"}
	case args[0] == "help":
		return append(slices.Clone(args[1:]), "--help")
	}
	return args
}

// movesCursor says whether what is written may hold escapes. A dumb terminal (an
// editor's, say) shows them as they are.
func movesCursor(terminal bool, kind string) bool { return terminal && kind != "dumb" }

// versionFlag prints the version wherever it stands.
type versionFlag bool

// BeforeReset runs before a command is demanded.
func (versionFlag) BeforeReset(parser *kong.Kong, cc *Context) error {
	if err := (VersionCommand{}).Run(cc); err != nil {
		return err
	}
	parser.Exit(0)
	return nil
}

// isTerminal is not deceived by other devices: /dev/null and /dev/full are none.
func isTerminal(f *os.File) bool { return term.IsTerminal(f.Fd()) }

// VersionCommand prints which Fermata this is.
type VersionCommand struct {
	Output string `help:"text or json." short:"o" enum:"text,json" default:"text"`
}

// Run prints.
func (v VersionCommand) Run(c *Context) error {
	if v.Output == "json" {
		return printJSON(c.Out, map[string]string{"version": c.Version, "commit": c.Commit})
	}
	_, err := fmt.Fprintf(c.Out, "fermata %s (%s)\n", c.Version, c.Commit)
	return err
}
