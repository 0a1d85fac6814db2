package main

import (
	"github.com/fermata-dev/fermata/app"
	"github.com/fermata-dev/fermata/cli"
)

// keeping are the maintenance commands. They work directly on the database, on a machine with the server's
// configuration.
type keeping struct {
	Keys    keys    `group:"Connect" cmd:"" help:"List, create and revoke API keys; re-encrypt stored secrets with a new secret key."`
	Backup  backup  `group:"Keep" cmd:"" help:"Back up the whole installation to a file, while the server runs."`
	Restore restore `group:"Keep" cmd:"" help:"Replace the database by a backup; the previous database is kept."`
	Export  export  `group:"Keep" cmd:"" help:"Export a workspace with its complete history to a file of JSON lines, while the server runs."`
	Import  load    `group:"Keep" cmd:"" help:"Create a workspace from an export, in either kind of database."`
	Check   check   `group:"Keep" cmd:"" name:"upgrade-check" help:"Show what the next start of this version changes in the database, and what blocks it."`
}

// keys combines two kinds of keys: API keys of people and programs, and the secret key that encrypts stored
// secrets.
type keys struct {
	cli.KeysCommand `embed:""`
	RotateSecret    rotateSecret `cmd:"" help:"Re-encrypt all stored secrets with the newest key of FERMATA_SECRET_KEY; with SQLite, stop the server first."`
}

type rotateSecret struct {
	app.Config `embed:""`
	Output     string `help:"Output format: text or json." short:"o" enum:"text,json" default:"text"`
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
