package cli

import (
	"bytes"
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/fermata-dev/fermata/api"
	"github.com/fermata-dev/fermata/internal/secretfile"
)

// serverFlags select the server and the credentials.
type serverFlags struct {
	URL       string `help:"URL of the server." default:"http://127.0.0.1:8080" env:"FERMATA_URL"`
	Key       string `help:"API key; preferably set in the environment, not on the command line." env:"FERMATA_KEY"`
	KeyFile   string `help:"File that contains the API key." env:"FERMATA_KEY_FILE" type:"path"`
	Workspace string `help:"Workspace, for the root key and for servers without credentials." env:"FERMATA_WORKSPACE"`
}

// clientFlags add the output format.
type clientFlags struct {
	serverFlags `embed:""`
	Output      string `help:"Output format: table or json." short:"o" default:"table" enum:"table,json"`
}

// client calls the API of a running server.
type client struct {
	base      string
	key       string
	workspace string
	version   string // of this program
	http      *http.Client
	pause     time.Duration // before a call without response is repeated
}

// client creates a client from the flags.
func (f *serverFlags) client(cc *Context) (*client, error) {
	if err := secretfile.Fill(map[*string]string{&f.Key: f.KeyFile}); err != nil {
		return nil, err
	}
	u, err := url.Parse(f.URL)
	if err != nil || u.Host == "" || (u.Scheme != "http" && u.Scheme != "https") {
		return nil, fmt.Errorf("%q is not the URL of a server, for example http://127.0.0.1:8080", f.URL)
	}
	return &client{
		base: strings.TrimRight(f.URL, "/"), key: f.Key, workspace: f.Workspace, version: cc.Version,
		http: &http.Client{}, pause: 500 * time.Millisecond,
	}, nil
}

// askItself disables certificate verification, for calls to the server on the same machine that send no
// secret: the certificate is for the server's public name.
func (c *client) askItself() {
	c.http.Transport = &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}} //nolint:gosec // see above
}

// callTimeout bounds a call; event streams have none.
const callTimeout = 60 * time.Second

// maxAnswer bounds a response, in bytes.
const maxAnswer = 64 << 20

// call makes a request and decodes the response into out (nil: discarded). An error of the server is a
// *serverError. A call without response is repeated once: every POST has an idempotency key.
func (c *client) call(ctx context.Context, method, path string, in, out any) error {
	ctx, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	body, err := encoded(in)
	if err != nil {
		return err
	}
	idempotencyKey := uuid.NewString()
	err = c.once(ctx, method, path, body, idempotencyKey, out)
	if _, unreachable := errors.AsType[*unreachableError](err); !unreachable || wait(ctx, c.pause) != nil {
		return err
	}
	return c.once(ctx, method, path, body, idempotencyKey, out)
}

// insist repeats a call until there is a response, within callTimeout: while a server restarts, the same
// request is sent again under the same idempotency key.
func (c *client) insist(ctx context.Context, method, path string, in, out any) error {
	ctx, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	return c.persist(ctx, method, path, in, out, nil)
}

// persist repeats a call until there is a response or ctx ends, under one idempotency key. away, if set, is
// called after each failure.
func (c *client) persist(ctx context.Context, method, path string, in, out any, away func(error)) error {
	body, err := encoded(in)
	if err != nil {
		return err
	}
	idempotencyKey := uuid.NewString()
	for pause := c.pause; ; pause = min(2*pause, maxPause) {
		err := c.bounded(ctx, method, path, body, idempotencyKey, out)
		_, unreachable := errors.AsType[*unreachableError](err)
		_, refused := errors.AsType[*serverError](err)
		switch {
		case ctx.Err() != nil && err != nil && unreachable:
			return errors.Join(context.Cause(ctx), err)
		case !unreachable && (!refused || final(err)):
			return err
		}
		if away != nil {
			away(err)
		}
		if wait(ctx, max(pause, retryAfter(err))) != nil {
			return errors.Join(context.Cause(ctx), err)
		}
	}
}

// bounded is once with callTimeout.
func (c *client) bounded(ctx context.Context, method, path string, body []byte, idempotencyKey string, out any) error {
	ctx, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	return c.once(ctx, method, path, body, idempotencyKey, out)
}

func encoded(in any) ([]byte, error) {
	if in == nil {
		return nil, nil
	}
	body, err := json.Marshal(in)
	if err != nil {
		return nil, fmt.Errorf("encode the request: %w", err)
	}
	return body, nil
}

// once makes one request and decodes its response.
func (c *client) once(ctx context.Context, method, path string, body []byte, idempotencyKey string, out any) error {
	response, err := c.send(ctx, method, path, body, idempotencyKey, "application/json")
	if err != nil {
		return err
	}
	defer func() { _ = response.Body.Close() }()
	text, err := io.ReadAll(io.LimitReader(response.Body, maxAnswer))
	if err != nil {
		return &unreachableError{base: c.base, err: err} // an incomplete response counts as none
	}
	if out == nil || len(bytes.TrimSpace(text)) == 0 {
		return nil
	}
	if err := json.Unmarshal(text, out); err != nil {
		return fmt.Errorf("the response of %s%s is not supported by this version of fermata (is it a Fermata server?): %w", c.base, path, err)
	}
	return nil
}

// send makes one request; a response of 400 or more is a *serverError.
func (c *client) send(ctx context.Context, method, path string, body []byte, idempotencyKey, accept string) (*http.Response, error) {
	return c.sendAs(ctx, method, path, "application/json", body, idempotencyKey, accept)
}

// sendAs is send for a body that is not JSON.
func (c *client) sendAs(
	ctx context.Context, method, path, contentType string, body []byte, idempotencyKey, accept string,
) (*http.Response, error) {
	request, err := http.NewRequestWithContext(ctx, method, c.base+path, bytes.NewReader(body))
	if err != nil {
		return nil, fmt.Errorf("create the request: %w", err)
	}
	request.Header.Set("Accept", accept)
	request.Header.Set("User-Agent", "fermata-cli/"+c.version)
	if body != nil {
		request.Header.Set("Content-Type", contentType)
	}
	if method == http.MethodPost {
		request.Header.Set("Idempotency-Key", idempotencyKey)
	}
	if c.key != "" {
		request.Header.Set("Authorization", "Bearer "+c.key)
	}
	if c.workspace != "" {
		request.Header.Set("Fermata-Workspace", c.workspace)
	}
	response, err := c.http.Do(request)
	if err != nil {
		return nil, &unreachableError{base: c.base, err: err}
	}
	if response.StatusCode >= http.StatusBadRequest {
		defer func() { _ = response.Body.Close() }()
		return nil, readProblem(response)
	}
	return response, nil
}

// unreachableError: there was no response.
type unreachableError struct {
	base string
	err  error
}

func (e *unreachableError) Error() string {
	if why := distrusted(e.err); why != "" {
		return fmt.Sprintf("%s cannot be trusted: %v. %s", e.base, e.err, why)
	}
	return fmt.Sprintf(
		"%s does not respond: %v. Is the server running (fermata serve)? Is the URL correct (--url, FERMATA_URL)?",
		e.base,
		e.err,
	)
}

func (e *unreachableError) Unwrap() error { return e.err }

// serverError is an error response of the server.
type serverError struct {
	api.Problem
	RetryAfter time.Duration
}

func readProblem(response *http.Response) *serverError {
	e := &serverError{}
	text, _ := io.ReadAll(io.LimitReader(response.Body, 1<<20)) // only the message loses what is cut off
	if json.Unmarshal(text, &e.Problem) != nil || e.Code == "" {
		e.Problem = api.Problem{Code: "unknown", Title: http.StatusText(response.StatusCode),
			Detail: "The response does not come from Fermata; is there a proxy in between?"}
	}
	e.Status = response.StatusCode
	if e.RequestID == "" {
		e.RequestID = response.Header.Get("X-Request-ID")
	}
	if seconds, err := time.ParseDuration(response.Header.Get("Retry-After") + "s"); err == nil {
		e.RetryAfter = seconds
	}
	return e
}

// Reported is the error as sent by the server.
func (e *serverError) Reported() *api.Problem { return &e.Problem }

// Error describes the error, its effect, what to do, and the request id to quote.
func (e *serverError) Error() string {
	var b strings.Builder
	b.WriteString(e.Title)
	if e.Detail != "" {
		b.WriteString(": " + e.Detail)
	}
	if e.Errors != nil {
		for _, field := range *e.Errors {
			fmt.Fprintf(&b, "\n  %s: %s", field.Pointer, field.Message)
		}
		b.WriteString("\n ")
	}
	if e.Executions != nil {
		for _, x := range *e.Executions {
			fmt.Fprintf(&b, "\n  %s: %s", x.Command, x.Status)
		}
		b.WriteString("\n ")
	}
	switch e.Outcome {
	case "unknown":
		b.WriteString(" It is uncertain whether the change was made: check before you repeat it.")
	case "applied":
		b.WriteString(" The change was made.")
	}
	switch {
	case e.Status == http.StatusUnauthorized:
		b.WriteString(" Set a key with FERMATA_KEY, FERMATA_KEY_FILE or --key.")
	case e.RetryAfter > 0:
		fmt.Fprintf(&b, " Try again in %s.", e.RetryAfter)
	case e.Retryable:
		b.WriteString(" Try again.")
	}
	fmt.Fprintf(&b, " (%s, HTTP %d", e.Code, e.Status)
	if e.RequestID != "" {
		fmt.Fprintf(&b, ", request %s", e.RequestID)
	}
	return b.String() + ")"
}

// codeOf is the code of a server's error; "" for any other error.
func codeOf(err error) string {
	if e, ok := errors.AsType[*serverError](err); ok {
		return e.Code
	}
	return ""
}

// wait sleeps, unless ctx ends first.
func wait(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-timer.C:
		return nil
	}
}
