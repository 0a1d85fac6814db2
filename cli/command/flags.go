package command

import (
	"github.com/fermata-dev/fermata/cli/remote"
	"github.com/fermata-dev/fermata/internal/secretfile"
)

// ServerFlags select the server and the credentials.
type ServerFlags struct {
	URL       string `help:"URL of the server." default:"http://127.0.0.1:8080" env:"FERMATA_URL"`
	Key       string `help:"API key; preferably set in the environment, not on the command line." env:"FERMATA_KEY"`
	KeyFile   string `help:"File that contains the API key." env:"FERMATA_KEY_FILE" type:"path"`
	Workspace string `help:"Workspace, for the root key and for servers without credentials." env:"FERMATA_WORKSPACE"`
}

// ClientFlags add the output format.
type ClientFlags struct {
	ServerFlags `embed:""`
	Output      string `help:"Output format: table or json." short:"o" default:"table" enum:"table,json"`
}

// Client creates a client from the flags.
func (f *ServerFlags) Client(cc *Context) (*remote.Client, error) {
	if err := secretfile.Fill(map[*string]string{&f.Key: f.KeyFile}); err != nil {
		return nil, err
	}
	return remote.New(f.URL, f.Key, f.Workspace, cc.Version)
}
