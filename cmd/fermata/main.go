// Command fermata is the Fermata server and its command-line client.
package main

import (
	"fmt"
	"os"
	"slices"

	_ "time/tzdata" // time zones for images without them

	"github.com/alecthomas/kong"
	_ "golang.org/x/crypto/x509roots/fallback" // root certificates for the same

	"github.com/fermata-dev/fermata"
	"github.com/fermata-dev/fermata/app"
	"github.com/fermata-dev/fermata/cli"
)

// Set by release builds.
var version, commit = "dev", "unknown"

// commandLine defines all flags and commands.
type commandLine struct {
	cli.Flags          `embed:""`
	Serve              serve   `group:"Server" cmd:"" help:"Run the server."`
	Migrate            migrate `group:"Server" cmd:"" help:"Bring the database up to date and exit."`
	keeping            `embed:""`
	cli.Commands       `embed:""`
	cli.ManualCommands `embed:""`
	Doctor             doctor                        `group:"Server" cmd:"" help:"Diagnose problems and suggest fixes; exit code 1 if there are any."`
	OpenAPI            cli.OpenAPICommand            `group:"Program" cmd:"" name:"openapi" help:"Print the OpenAPI contract of the API."`
	Started            cli.ConfigCommand[app.Config] `group:"Server" cmd:"" name:"config" help:"Show the configuration a server would start with."`
	Version            cli.VersionCommand            `group:"Program" cmd:"" help:"Print the version."`
}

type serve struct {
	app.Config `embed:""`
}

func (c *serve) Run(cc *cli.Context, parsed *kong.Context) error {
	c.Config.Version, c.Config.Commit = cc.Version, cc.Commit
	return app.Serve(c.Config, cli.CheckVariables(parsed.Model, os.Environ())...)
}

type migrate struct {
	app.Database `embed:""`
	Output       string `help:"Output format: text or json." short:"o" enum:"text,json" default:"text"`
}

func (c *migrate) Run(cc *cli.Context) error { return app.Migrate(cc, c.Database, c.Output, cc.Out) }

// doctor checks the configuration of a server on this machine, then the server.
type doctor struct {
	cli.Doctor `embed:""`
	Server     app.Config `embed:"" group:"Configuration of the server on this machine"`
}

func (c *doctor) Run(cc *cli.Context, parsed *kong.Context) error {
	local := slices.Concat(cli.CheckVariables(parsed.Model, os.Environ()),
		app.Diagnose(cc, c.Server, c.URL), app.DiagnoseBackup(c.Server, c.URL, c.Within))
	c.Near(c.Server.Listen, c.Server.TLSCert != "")
	return c.Check(cc, local)
}

func main() {
	line := commandLine{OpenAPI: cli.OpenAPICommand{Text: fermata.OpenAPI}}
	if err := cli.Run(&line, os.Args[1:], cli.Process(version, commit)); err != nil {
		fmt.Fprintln(os.Stderr, "fermata:", err)
		os.Exit(cli.ExitCode(err))
	}
}
