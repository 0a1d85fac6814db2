package acp

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/fermata-dev/fermata/api"
	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/rounds/suite"
	"github.com/fermata-dev/fermata/stream"
)

// editor opens the session, sends the message unless it was sent before, and closes the connection after
// the story.
type editor struct{ *suite.World }

func (e editor) Serve(w http.ResponseWriter, r *http.Request, body []byte) error {
	in, out := io.Pipe()
	var written bytes.Buffer
	done := make(chan error)
	agent := &Agent{Server: e, URL: "https://fermata.example", Log: func(string, ...any) {}}
	go func() { done <- agent.Serve(r.Context(), in, &written) }()
	for line := range strings.Lines(string(body)) {
		if strings.Contains(line, "session/prompt") && e.Sent() {
			continue
		}
		if _, err := io.WriteString(out, line); err != nil {
			return err
		}
		synctest.Wait()
	}
	<-e.Over()
	synctest.Wait()
	if err := out.Close(); err != nil {
		return err
	}
	if err := <-done; err != nil {
		return err
	}
	_, err := io.WriteString(w, inOrder(written.String()))
	return err
}

// inOrder returns the messages with those at the end that may overtake updates: responses and requests have
// goroutines of their own.
func inOrder(written string) string {
	var updates, others []string
	for line := range strings.Lines(written) {
		if strings.Contains(line, `"method":"session/update"`) {
			updates = append(updates, line)
		} else {
			others = append(others, line)
		}
	}
	slices.Sort(others)
	return strings.Join(append(updates, others...), "")
}

func (editor) Refuse(http.ResponseWriter, *api.Failure) {}

// Call answers as the API does.
func (e editor) Call(ctx context.Context, method, path string, _, out any) error {
	answer, err := e.answer(ctx, method, path)
	if err != nil {
		return err
	}
	text, err := json.Marshal(answer)
	if err != nil {
		return err
	}
	return json.Unmarshal(text, out)
}

func (e editor) answer(ctx context.Context, method, path string) (any, error) {
	session, err := e.Session(ctx, "", suite.SessionID)
	if err != nil {
		return nil, err
	}
	switch of, _, _ := strings.Cut(strings.TrimPrefix(path, "/v1/sessions/"+suite.SessionID), "?"); method + " " + of {
	case "GET ":
		return api.SessionFrom(session), nil
	case "GET /v1/providers":
		return &api.ProviderList{}, nil
	case "GET /messages":
		stored, err := e.Messages(ctx, "", suite.SessionID, 0, 200)
		page := &api.MessageList{}
		for _, m := range stored {
			page.Data = append(page.Data, *api.MessageFrom(m))
		}
		return page, err
	case "GET /v1/approvals":
		open, _, err := e.Approvals(ctx, "", domain.ApprovalFilter{Status: domain.ApprovalStatusOpen})
		page := &api.ApprovalList{}
		for _, a := range open {
			page.Data = append(page.Data, *api.ApprovalFrom(a))
		}
		return page, err
	case "POST /messages":
		receipt, err := e.SendMessage(ctx, "", suite.SessionID, domain.NewMessage{Rich: domain.RichContent{LinearText: suite.Text}})
		if err != nil {
			return nil, err
		}
		text, err := api.EncodeAccepted(receipt.Message, receipt.Session, receipt.Seq)
		return json.RawMessage(text), err
	}
	return nil, fmt.Errorf("%s %s is not answered here", method, path)
}

func (e editor) Insist(ctx context.Context, method, path string, in, out any) error {
	return e.Call(ctx, method, path, in, out)
}

func (editor) Upload(context.Context, string, string) (string, error) {
	return "", domain.NotFound("file")
}

// Follow reads the events of the session.
func (e editor) Follow(ctx context.Context, _ string, after int64, take func(Event) error) error {
	reader := e.World.Follow(stream.Filter{Workspace: suite.Caller.Workspace, Session: suite.SessionID})
	defer reader.Close()
	if err := reader.Seek(ctx, after); err != nil {
		return err
	}
	for {
		events, more, err := reader.Next(ctx)
		if err != nil {
			return err
		}
		for _, sent := range events {
			if err := take(Event{ID: sent.Seq, Name: sent.Name, Data: sent.Body}); err != nil {
				return err
			}
		}
		if more {
			continue
		}
		select {
		case <-reader.Ready():
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// Each story has the same messages to the editor as before.
func TestTranscripts(t *testing.T) {
	const head = `{"jsonrpc":"2.0","id":1,"method":"session/load","params":{"sessionId":"` + suite.SessionID + `","cwd":"/","mcpServers":[]}}` + "\n"
	suite.Run(t, "testdata", []suite.Request{{
		Name: "load and prompt",
		Body: head + `{"jsonrpc":"2.0","id":2,"method":"session/prompt","params":{"sessionId":"` + suite.SessionID +
			`","prompt":[{"type":"text","text":"` + suite.Text + `"}]}}` + "\n",
	}}, func(w *suite.World) suite.Door { return editor{w} })
}
