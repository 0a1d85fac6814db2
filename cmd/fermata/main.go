// Command fermata is the Fermata server and its command-line client.
package main

import (
	"fmt"
	"os"

	_ "time/tzdata" // time zones for images without them

	_ "golang.org/x/crypto/x509roots/fallback" // root certificates for the same

	"github.com/fermata-dev/fermata"
	"github.com/fermata-dev/fermata/app"
	"github.com/fermata-dev/fermata/cli"
	"github.com/fermata-dev/fermata/cli/command"
	"github.com/fermata-dev/fermata/cli/doctor"
	"github.com/fermata-dev/fermata/operate"
)

var version, commit = "dev", "unknown" // set by release builds

// commandLine defines all flags and commands.
type commandLine struct {
	cli.Flags        `embed:""`
	Serve            serve `group:"Server" cmd:"" help:"Run the server."`
	operate.Commands `embed:""`
	Keys             struct {
		cli.KeysCommand `embed:""`
		RotateSecret    app.Rotate `cmd:"" help:"Re-encrypt all stored secrets with the newest key of FERMATA_SECRET_KEY; with SQLite, stop the server first."`
	} `group:"Connect" cmd:"" help:"List, create and revoke API keys; re-encrypt stored secrets with a new secret key."`
	CLI                cli.Commands `embed:""`
	cli.ManualCommands `embed:""`
	Doctor             doctorCommand                 `group:"Server" cmd:"" help:"Diagnose problems and suggest fixes; exit code 1 if there are any."`
	OpenAPI            cli.OpenAPICommand            `group:"Program" cmd:"" name:"openapi" help:"Print the OpenAPI contract of the API."`
	Started            cli.ConfigCommand[app.Config] `group:"Server" cmd:"" name:"config" help:"Show the configuration a server would start with."`
	Version            cli.VersionCommand            `group:"Program" cmd:"" help:"Print the version."`
}

type serve struct {
	app.Config `embed:""`
}

func (c *serve) Run(cc *command.Context) error {
	c.Config.Version, c.Config.Commit = cc.Version, cc.Commit
	return app.Serve(c.Config, cc.Variables...)
}

type doctorCommand struct {
	doctor.Command `embed:""`
	Server         app.Config `embed:"" group:"Configuration of the server on this machine"`
}

func (c *doctorCommand) Run(cc *command.Context) error {
	c.Near(c.Server.Listen, c.Server.TLSCert != "")
	return c.Check(cc, append(append(cc.Variables, app.Diagnose(cc, c.Server, c.URL)...), app.DiagnoseBackup(c.Server, c.URL, c.Within)...))
}

func main() {
	line := &commandLine{OpenAPI: cli.OpenAPICommand{Text: fermata.OpenAPI}, Commands: operate.CommandsOf(version)}
	if err := cli.Run(line, os.Args[1:], cli.Process(version, commit)); err != nil {
		fmt.Fprintln(os.Stderr, "fermata:", err)
		os.Exit(command.ExitCode(err))
	}
}
