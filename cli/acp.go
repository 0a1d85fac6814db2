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

// Help is the detailed help.
func (acpCommand) Help() string {
	return "An editor starts this command and communicates with it by the Agent Client Protocol, on standard input and output. " +
		"The sessions belong to the server, and continue when the editor is closed."
}

// Run serves until the editor closes the input.
func (c *acpCommand) Run(cc *Context) error {
	client, err := c.client(cc)
	if err != nil {
		return err
	}
	folder, err := os.Getwd()
	if err != nil {
		return fmt.Errorf("determine the current folder: %w", err)
	}
	agent := &acp.Agent{
		Server: acpServer{client}, URL: client.base, Version: cc.Version, Folder: folder,
		Log: func(format string, args ...any) { _, _ = fmt.Fprintf(cc.Errors, "fermata acp: "+format+"\n", args...) },
	}
	return agent.Serve(cc, cc.In, cc.Out)
}

// acpServer adapts the client to acp.
type acpServer struct{ *client }

// Call makes a request.
func (s acpServer) Call(ctx context.Context, method, path string, in, out any) error {
	return s.call(ctx, method, path, in, out)
}

// Insist makes a request, and repeats it while the server is unreachable.
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

// Follow follows the events of a session, and reconnects if necessary.
func (s acpServer) Follow(ctx context.Context, session string, after int64, take func(acp.Event) error) error {
	f := &follower{
		client: s.client, path: "/v1/sessions/" + url.PathEscape(session) + "/events", cursor: after, pause: s.pause, opened: true,
		take: func(e sseEvent) error { return take(acp.Event(e)) },
	}
	return f.run(ctx)
}
