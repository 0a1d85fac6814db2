package cli

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"

	"github.com/google/uuid"

	"github.com/fermata-dev/fermata/cli/acp"
)

// acpCommand serves an editor on standard input and output.
type acpCommand struct {
	serverFlags `embed:""`
}

// Help is shown under --help.
func (acpCommand) Help() string {
	return "An editor starts it and speaks the Agent Client Protocol with it, on standard input and output. " +
		"It keeps nothing: sessions are the server's, and go on when the editor is closed."
}

// Run serves until the editor closes its side.
func (c *acpCommand) Run(cc *Context) error {
	client, err := c.client(cc)
	if err != nil {
		return err
	}
	folder, err := os.Getwd()
	if err != nil {
		return fmt.Errorf("find the folder that this was started in: %w", err)
	}
	agent := &acp.Agent{
		Server: acpServer{client}, URL: client.base, Version: cc.Version, Folder: folder,
		Log: func(format string, args ...any) { _, _ = fmt.Fprintf(cc.Errors, "fermata acp: "+format+"\n", args...) },
	}
	return agent.Serve(cc, cc.In, cc.Out)
}

// acpServer is the server as an editor's agent calls it.
type acpServer struct{ *client }

// Call makes a call.
func (s acpServer) Call(ctx context.Context, method, path string, in, out any) error {
	return s.call(ctx, method, path, in, out)
}

// Insist makes a call, and makes it again while the server is away.
func (s acpServer) Insist(ctx context.Context, method, path string, in, out any) error {
	return s.insist(ctx, method, path, in, out)
}

// Upload stores a text as a file. The call is repeated under one idempotency key while the server is
// unreachable, for as long as a call may take.
func (s acpServer) Upload(ctx context.Context, name, text string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	key := uuid.NewString()
	for pause := s.pause; ; pause = min(2*pause, maxPause) {
		file, err := s.uploadContent(ctx, name, []byte(text), key)
		if err == nil {
			return file.ID, nil
		}
		if _, unreachable := errors.AsType[*unreachableError](err); !unreachable || wait(ctx, pause) != nil {
			return "", err
		}
	}
}

// Follow reads the events of a session, and comes back by itself.
func (s acpServer) Follow(ctx context.Context, session string, after int64, take func(acp.Event) error) error {
	f := &follower{
		client: s.client, path: "/v1/sessions/" + url.PathEscape(session) + "/events", cursor: after, pause: s.pause, opened: true,
		take: func(e sseEvent) error { return take(acp.Event(e)) },
	}
	return f.run(ctx)
}
