package main

import (
	"github.com/fermata-dev/fermata/app"
	"github.com/fermata-dev/fermata/cli"
)

// keeping are the commands that take the data of an installation out and put it back. They
// work on the database itself, on the machine where the server's configuration is.
type keeping struct {
	Keys    keys    `group:"Connect" cmd:"" help:"List API keys; make and revoke them; seal what is stored with a new secret key."`
	Backup  backup  `group:"Keep" cmd:"" help:"Copy the whole installation to a file, while the server runs."`
	Restore restore `group:"Keep" cmd:"" help:"Put a backup in the place of the database; what was there is kept."`
	Export  export  `group:"Keep" cmd:"" help:"Write a workspace with its whole record to a file, as lines of JSON, while the server runs."`
	Import  load    `group:"Keep" cmd:"" help:"Make a workspace from such a file, in this or the other kind of database."`
	Check   check   `group:"Keep" cmd:"" name:"upgrade-check" help:"Say what the next start of this version does to the database, and what is in its way."`
}

// keys are two things of one name: those of people and programs, over the API, and the one
// that seals what is stored.
type keys struct {
	cli.KeysCommand `embed:""`
	RotateSecret    rotateSecret `cmd:"" help:"Seal all stored secrets with the newest key of FERMATA_SECRET_KEY; with SQLite the server is stopped meanwhile."`
}

type rotateSecret struct {
	app.Config `embed:""`
	Output     string `help:"text, or json for programs." short:"o" enum:"text,json" default:"text"`
}

func (c *rotateSecret) Run(cc *cli.Context) error {
	c.Config.Version, c.Config.Commit = cc.Version, cc.Commit
	return app.RotateSecret(cc, c.Config, c.Output, cc.Out)
}

type backup struct {
	app.Backup `embed:""`
}

func (c *backup) Run(cc *cli.Context) error { return c.Do(cc, cc.Version, cc.Out) }

type restore struct {
	app.Restore `embed:""`
}

func (c *restore) Run(cc *cli.Context) error { return c.Do(cc, cc.Out) }

type export struct {
	app.Export `embed:""`
}

func (c *export) Run(cc *cli.Context) error { return c.Do(cc, cc.Version, cc.Out) }

type check struct {
	app.UpgradeCheck `embed:""`
}

func (c *check) Run(cc *cli.Context) error { return c.Do(cc, cc.Out) }

type load struct {
	app.Import `embed:""`
}

func (c *load) Run(cc *cli.Context) error { return c.Do(cc, cc.Out) }
