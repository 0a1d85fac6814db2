package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"slices"

	"github.com/alecthomas/kong"

	"github.com/fermata-dev/fermata/internal/clock"
)

// CLI is the whole command line: the server's commands, and those that talk to a
// running server over its API.
type CLI struct {
	Config kong.ConfigFlag `help:"YAML file of flags (underscores for dashes)." env:"FERMATA_CONFIG" placeholder:"FILE"`
	Print  versionFlag     `name:"version" help:"Print the version." short:"V"`

	Serve   serveCommand   `cmd:"" help:"Run the server."`
	Migrate migrateCommand `cmd:"" help:"Bring the database up to date and end."`

	Chat        chatCommand        `cmd:"" help:"Talk in the terminal; answers stream, approvals are asked for."`
	Tail        tailCommand        `cmd:"" help:"Show events as they happen."`
	Sessions    sessionsCommand    `cmd:"" help:"List sessions."`
	Approve     approveCommand     `cmd:"" help:"List what waits for a person, or answer it."`
	Automations automationsCommand `cmd:"" help:"List automations; run, enable, disable, export and import them."`
	Keys        keysCommand        `cmd:"" help:"List API keys; make and revoke them."`
	Doctor      doctorCommand      `cmd:"" help:"Find what is wrong and say how to mend it; exit code 1 when something is."`
	Version     versionCommand     `cmd:"" help:"Print the version."`
}

// cliContext is what the client's commands have of the outside world.
type cliContext struct {
	context.Context
	in          io.Reader
	out         io.Writer
	errors      io.Writer
	clock       clock.Clock
	interactive bool // a person types: questions can be asked
	terminal    bool // a person reads: the cursor can be moved
	colour      bool
	signals     <-chan os.Signal // Ctrl-C, for commands that take it themselves
}

// run carries out a command line.
func run(args []string) error {
	var cli CLI
	parser, err := kong.New(&cli, kong.Name("fermata"),
		kong.Description("Fermata runs AI sessions that hold for a person, a network or a slot, and lose nothing."),
		kong.ConfigureHelp(kong.HelpOptions{Compact: true}), kong.Configuration(readConfigFile))
	if err != nil {
		return fmt.Errorf("read the command line's own definition: %w", err)
	}
	parsed, err := parser.Parse(orHelp(args))
	if err != nil {
		return fmt.Errorf("%w (see: fermata --help)", err)
	}
	terminal := movesCursor(isTerminal(os.Stdout), os.Getenv("TERM"))
	return parsed.Run(&cliContext{
		Context: context.Background(), in: os.Stdin, out: os.Stdout, errors: os.Stderr, clock: clock.System,
		interactive: isTerminal(os.Stdin), terminal: terminal, colour: terminal && os.Getenv("NO_COLOR") == "",
	})
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
func (versionFlag) BeforeReset(app *kong.Kong) error {
	if err := (versionCommand{}).Run(&cliContext{out: app.Stdout}); err != nil {
		return err
	}
	app.Exit(0)
	return nil
}

func isTerminal(f *os.File) bool {
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}

// versionCommand prints which Fermata this is.
type versionCommand struct{}

// Run prints.
func (versionCommand) Run(c *cliContext) error {
	_, err := fmt.Fprintf(c.out, "fermata %s (%s)\n", version, commit)
	return err
}
