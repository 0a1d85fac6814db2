package remote

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
)

// Client calls the API of a running server.
type Client struct {
	Base      string
	Key       string
	workspace string
	version   string // of this program
	http      *http.Client
	Pause     time.Duration // before a call without response is repeated
}

// New creates a client of the server at a URL. key and workspace may be empty; version is that of this program.
func New(address, key, workspace, version string) (*Client, error) {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" || (u.Scheme != "http" && u.Scheme != "https") {
		return nil, fmt.Errorf("%q is not the URL of a server, for example http://127.0.0.1:8080", address)
	}
	return &Client{
		Base: strings.TrimRight(address, "/"), Key: key, workspace: workspace, version: version,
		http: &http.Client{}, Pause: 500 * time.Millisecond,
	}, nil
}

// AskItself disables certificate verification, for calls to the server on the same machine that send no
// secret: the certificate is for the server's public name.
func (c *Client) AskItself() {
	c.http.Transport = &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}} //nolint:gosec // see above
}

// CallTimeout bounds a call; event streams have none.
const CallTimeout = 60 * time.Second

// MaxAnswer bounds a response, in bytes.
const MaxAnswer = 64 << 20

// Call makes a request and decodes the response into out (nil: discarded). An error of the server is a
// *ServerError. A call without response is repeated once: every POST has an idempotency key.
func (c *Client) Call(ctx context.Context, method, path string, in, out any) error {
	ctx, cancel := context.WithTimeout(ctx, CallTimeout)
	defer cancel()
	body, err := encoded(in)
	if err != nil {
		return err
	}
	idempotencyKey := uuid.NewString()
	err = c.once(ctx, method, path, body, idempotencyKey, out)
	if _, unreachable := errors.AsType[*UnreachableError](err); !unreachable || Wait(ctx, c.Pause) != nil {
		return err
	}
	return c.once(ctx, method, path, body, idempotencyKey, out)
}

// Insist repeats a call until there is a response, within CallTimeout: while a server restarts, the same
// request is sent again under the same idempotency key.
func (c *Client) Insist(ctx context.Context, method, path string, in, out any) error {
	ctx, cancel := context.WithTimeout(ctx, CallTimeout)
	defer cancel()
	return c.Persist(ctx, method, path, in, out, nil)
}

// Persist repeats a call until there is a response or ctx ends, under one idempotency key. away, if set, is
// called after each failure.
func (c *Client) Persist(ctx context.Context, method, path string, in, out any, away func(error)) error {
	body, err := encoded(in)
	if err != nil {
		return err
	}
	idempotencyKey := uuid.NewString()
	for pause := c.Pause; ; pause = min(2*pause, MaxPause) {
		err := c.bounded(ctx, method, path, body, idempotencyKey, out)
		_, unreachable := errors.AsType[*UnreachableError](err)
		_, refused := errors.AsType[*ServerError](err)
		switch {
		case ctx.Err() != nil && err != nil && unreachable:
			return errors.Join(context.Cause(ctx), err)
		case !unreachable && (!refused || final(err)):
			return err
		}
		if away != nil {
			away(err)
		}
		if Wait(ctx, max(pause, retryAfter(err))) != nil {
			return errors.Join(context.Cause(ctx), err)
		}
	}
}

// bounded is once with CallTimeout.
func (c *Client) bounded(ctx context.Context, method, path string, body []byte, idempotencyKey string, out any) error {
	ctx, cancel := context.WithTimeout(ctx, CallTimeout)
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
func (c *Client) once(ctx context.Context, method, path string, body []byte, idempotencyKey string, out any) error {
	response, err := c.Send(ctx, method, path, body, idempotencyKey, "application/json")
	if err != nil {
		return err
	}
	defer func() { _ = response.Body.Close() }()
	text, err := io.ReadAll(io.LimitReader(response.Body, MaxAnswer))
	if err != nil {
		return &UnreachableError{Base: c.Base, Err: err} // an incomplete response counts as none
	}
	if out == nil || len(bytes.TrimSpace(text)) == 0 {
		return nil
	}
	if err := json.Unmarshal(text, out); err != nil {
		return fmt.Errorf("the response of %s%s is not supported by this version of fermata (is it a Fermata server?): %w", c.Base, path, err)
	}
	return nil
}

// Send makes one request; a response of 400 or more is a *ServerError.
func (c *Client) Send(ctx context.Context, method, path string, body []byte, idempotencyKey, accept string) (*http.Response, error) {
	return c.SendAs(ctx, method, path, "application/json", body, idempotencyKey, accept)
}

// SendAs is send for a body that is not JSON.
func (c *Client) SendAs(
	ctx context.Context, method, path, contentType string, body []byte, idempotencyKey, accept string,
) (*http.Response, error) {
	request, err := http.NewRequestWithContext(ctx, method, c.Base+path, bytes.NewReader(body))
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
	if c.Key != "" {
		request.Header.Set("Authorization", "Bearer "+c.Key)
	}
	if c.workspace != "" {
		request.Header.Set("Fermata-Workspace", c.workspace)
	}
	response, err := c.http.Do(request)
	if err != nil {
		return nil, &UnreachableError{Base: c.Base, Err: err}
	}
	if response.StatusCode >= http.StatusBadRequest {
		defer func() { _ = response.Body.Close() }()
		return nil, readProblem(response)
	}
	return response, nil
}

// UploadContent sends the content of a file.
func (c *Client) UploadContent(ctx context.Context, name string, content []byte, idempotencyKey string) (*api.File, error) {
	response, err := c.SendAs(ctx, http.MethodPost, "/v1/files?name="+url.QueryEscape(name), "application/octet-stream", content,
		idempotencyKey, "application/json")
	if err != nil {
		return nil, err
	}
	defer func() { _ = response.Body.Close() }()
	var f api.File
	if err := json.NewDecoder(io.LimitReader(response.Body, MaxAnswer)).Decode(&f); err != nil {
		return nil, fmt.Errorf("read the description of the uploaded file: %w", err)
	}
	return &f, nil
}

// UnreachableError: there was no response.
type UnreachableError struct {
	Base string
	Err  error
}

func (e *UnreachableError) Error() string {
	if why := Distrusted(e.Err); why != "" {
		return fmt.Sprintf("%s cannot be trusted: %v. %s", e.Base, e.Err, why)
	}
	return fmt.Sprintf(
		"%s does not respond: %v. Is the server running (fermata serve)? Is the URL correct (--url, FERMATA_URL)?",
		e.Base,
		e.Err,
	)
}

func (e *UnreachableError) Unwrap() error { return e.Err }

// ServerError is an error response of the server.
type ServerError struct {
	api.Problem
	RetryAfter time.Duration
}

func readProblem(response *http.Response) *ServerError {
	e := &ServerError{}
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
func (e *ServerError) Reported() *api.Problem { return &e.Problem }

// Error describes the error, its effect, what to do, and the request id to quote.
func (e *ServerError) Error() string {
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

// CodeOf is the code of a server's error; "" for any other error.
func CodeOf(err error) string {
	if e, ok := errors.AsType[*ServerError](err); ok {
		return e.Code
	}
	return ""
}

// Wait sleeps, unless ctx ends first.
func Wait(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-timer.C:
		return nil
	}
}
