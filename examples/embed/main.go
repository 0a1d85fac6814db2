// Command embed is a program with an embedded Fermata server: it starts the server, sends a message over
// HTTP as any client does, and prints the answer of the built-in demo provider.
package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"time"

	"github.com/fermata-dev/fermata/app"
)

func main() {
	if err := run(context.Background(), os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "embed:", err)
		os.Exit(1)
	}
}

// run starts a server, sends it a message, and stops it.
func run(ctx context.Context, out io.Writer) (err error) {
	dir, err := os.MkdirTemp("", "fermata-embed-")
	if err != nil {
		return fmt.Errorf("create a data directory: %w", err)
	}
	defer func() { _ = os.RemoveAll(dir) }()
	server, err := app.New(ctx, app.Config{Database: app.Database{DataDir: dir}, Listen: "127.0.0.1:0"})
	if err != nil {
		return fmt.Errorf("create the server: %w", err)
	}
	if err := server.Start(ctx); err != nil {
		return fmt.Errorf("start the server: %w", err)
	}
	answer, err := ask(ctx, server.URL(), "help")
	if err == nil {
		_, err = fmt.Fprintln(out, answer)
	}
	stop, cancel := context.WithTimeout(context.WithoutCancel(ctx), 30*time.Second)
	defer cancel()
	if stopped := server.Stop(stop); err == nil && stopped != nil {
		err = fmt.Errorf("stop the server: %w", stopped)
	}
	return err
}

// ask sends one message to a new session and waits for the answer.
func ask(ctx context.Context, url, text string) (string, error) {
	var session struct{ ID, Status string }
	if err := call(ctx, "POST", url+"/v1/sessions", map[string]any{"type": "CHAT"}, &session); err != nil {
		return "", err
	}
	here := url + "/v1/sessions/" + session.ID
	if err := call(ctx, "POST", here+"/messages", map[string]any{"text": text}, nil); err != nil {
		return "", err // after a success the message is on disk, and will be answered even after a crash
	}
	for session.Status = ""; session.Status != "idle"; time.Sleep(50 * time.Millisecond) {
		if err := call(ctx, "GET", here, nil, &session); err != nil {
			return "", err
		}
	}
	var messages struct {
		Data []struct {
			AI *struct {
				Text string `json:"pre_text"`
			} `json:"ai_message"`
		}
	}
	if err := call(ctx, "GET", here+"/messages", nil, &messages); err != nil {
		return "", err
	}
	for _, m := range messages.Data {
		if m.AI != nil {
			return m.AI.Text, nil
		}
	}
	return "", fmt.Errorf("session %s is idle without an answer", session.ID)
}

// call makes one API request and decodes the response into out, unless that is nil.
func call(ctx context.Context, method, url string, in, out any) error {
	body, err := json.Marshal(in)
	if err != nil {
		return fmt.Errorf("encode the request: %w", err)
	}
	if in == nil {
		body = nil
	}
	request, err := http.NewRequestWithContext(ctx, method, url, bytes.NewReader(body))
	if err != nil {
		return fmt.Errorf("create the request: %w", err)
	}
	request.Header.Set("Content-Type", "application/json")
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return fmt.Errorf("%s %s: %w", method, url, err)
	}
	defer func() { _ = response.Body.Close() }()
	if response.StatusCode >= http.StatusBadRequest {
		problem, _ := io.ReadAll(io.LimitReader(response.Body, 4<<10)) // a truncated problem is still useful
		return fmt.Errorf("%s %s: %s: %s", method, url, response.Status, problem)
	}
	if out == nil {
		return nil
	}
	if err := json.NewDecoder(response.Body).Decode(out); err != nil {
		return fmt.Errorf("%s %s: decode the response: %w", method, url, err)
	}
	return nil
}
