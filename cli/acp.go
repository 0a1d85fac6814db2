package cli

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"

	"github.com/google/uuid"

	"github.com/fermata-dev/fermata/cli/acp"
	"github.com/fermata-dev/fermata/cli/command"
	"github.com/fermata-dev/fermata/cli/remote"
)

// acpCommand serves an editor on standard input and output.
type acpCommand struct {
	command.ServerFlags `embed:""`
}

// Help is the detailed help.
func (acpCommand) Help() string {
	return "An editor starts this command and communicates with it by the Agent Client Protocol, on standard input and output. " +
		"The sessions belong to the server, and continue when the editor is closed."
}

// Run serves until the editor closes the input.
func (c *acpCommand) Run(cc *command.Context) error {
	client, err := c.Client(cc)
	if err != nil {
		return err
	}
	folder, err := os.Getwd()
	if err != nil {
		return fmt.Errorf("determine the current folder: %w", err)
	}
	agent := &acp.Agent{
		Server: acpServer{client}, URL: client.Base, Version: cc.Version, Folder: folder,
		Log: func(format string, args ...any) { _, _ = fmt.Fprintf(cc.Errors, "fermata acp: "+format+"\n", args...) },
	}
	return agent.Serve(cc, cc.In, cc.Out)
}

// acpServer adapts the client to acp: its calls are the client's own.
type acpServer struct{ *remote.Client }

// Upload stores a text as a file. The call is repeated under one idempotency key while the server is
// unreachable, for as long as a call may take.
func (s acpServer) Upload(ctx context.Context, name, text string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, remote.CallTimeout)
	defer cancel()
	key := uuid.NewString()
	for pause := s.Pause; ; pause = min(2*pause, remote.MaxPause) {
		file, err := s.UploadContent(ctx, name, []byte(text), key)
		if err == nil {
			return file.ID, nil
		}
		if _, unreachable := errors.AsType[*remote.UnreachableError](err); !unreachable || remote.Wait(ctx, pause) != nil {
			return "", err
		}
	}
}

// Follow follows the events of a session, and reconnects if necessary.
func (s acpServer) Follow(ctx context.Context, session string, after int64, take func(acp.Event) error) error {
	f := &remote.Follower{
		Client: s.Client, Path: "/v1/sessions/" + url.PathEscape(session) + "/events", Cursor: after, Pause: s.Pause, Opened: true,
		Take: func(e remote.Event) error { return take(acp.Event(e)) },
	}
	return f.Run(ctx)
}
