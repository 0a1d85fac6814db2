package longrunning

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"strings"
	"sync/atomic"
	"time"

	"github.com/fermata-dev/fermata/auth"
	"github.com/fermata-dev/fermata/connectors"
	"github.com/fermata-dev/fermata/connectors/httpcommand"
	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/domain/outside"
	"github.com/fermata-dev/fermata/internal/clock"
	"github.com/fermata-dev/fermata/internal/egress"
	"github.com/fermata-dev/fermata/internal/jsonbody"
)

// service is a connection to a service. The HTTP client pools connections: there is nothing to
// close.
type service struct {
	name     string
	config   config
	base     *url.URL
	client   *http.Client
	all      []outside.ConnectorCommand
	callback func() (string, error)

	documents Documents
	now       clock.Clock
}

// work is the body of an order.
type work struct {
	TaskID      string          `json:"task_id"`
	CallbackURL string          `json:"callback_url"`
	Command     string          `json:"command"`
	Params      json.RawMessage `json:"params"`
	Session     workSession     `json:"session"`
	Deadline    string          `json:"deadline"`
	Documents   []workDocument  `json:"documents,omitempty"`
}

// workDocument is the latest published version of a document.
type workDocument struct {
	Key         string    `json:"key"`
	Title       string    `json:"title"`
	Body        string    `json:"body"`
	PublishedAt time.Time `json:"published_at"`
}

type workSession struct {
	ID          string  `json:"id"`
	WorkspaceID string  `json:"workspace_id"`
	ExternalID  *string `json:"external_id"`
}

// cancellation is sent when a task is no longer needed.
type cancellation struct {
	TaskID string `json:"task_id"`
	Reason string `json:"reason"`
}

// List returns the commands as entered.
func (s *service) List(context.Context) (connectors.Listing, error) {
	return connectors.Listing{Commands: s.all}, nil
}

// Call sends the order. Only the status of the response counts: the result arrives by callback.
func (s *service) Call(ctx context.Context, call connectors.Call) (outside.Result, error) {
	if call.TaskID == "" {
		return outside.Result{}, notSent("no task was stored for this call", nil)
	}
	callback, err := s.callback()
	if err != nil {
		return outside.Result{}, notSent(err.Error(), err)
	}
	body := work{
		TaskID: call.TaskID, CallbackURL: callback + call.TaskID, Command: call.Command, Params: call.Params,
		Session:  workSession{ID: call.SessionID, WorkspaceID: call.WorkspaceID},
		Deadline: call.Deadline.UTC().Format(time.RFC3339),
	}
	if body.Documents, err = s.along(ctx, call); err != nil {
		return outside.Result{}, err
	}
	if len(body.Params) == 0 {
		body.Params = json.RawMessage("{}")
	}
	if call.ExternalID != "" {
		body.Session.ExternalID = &call.ExternalID
	}
	path := ""
	if r := call.Definition.Request; r != nil {
		path = r.Path
	}
	header := http.Header{"idempotency-key": {call.ExecutionID}} // // as written by package httpcommand
	if call.TraceParent != "" {
		header.Set("Traceparent", call.TraceParent)
	}
	if err := s.post(ctx, path, call.TaskID, header, jsonbody.Encode(body)); err != nil {
		return outside.Result{}, err
	}
	return outside.Result{Task: &outside.TaskHandle{}}, nil
}

// along returns the documents that the command sends with each order. If one is missing, the order
// is not sent.
func (s *service) along(ctx context.Context, call connectors.Call) ([]workDocument, error) {
	all := make([]workDocument, 0, len(call.Definition.Documents))
	for _, key := range call.Definition.Documents {
		doc, err := s.documents(ctx, call.WorkspaceID, key)
		switch {
		case domain.ErrorCode(err) == domain.CodeNotFound, err == nil && doc.PublishedAt == nil:
			return nil, notSent(fmt.Sprintf("the document %s, which is part of the order, is not published", key), err)
		case err != nil:
			return nil, notSent(fmt.Sprintf("the document %s, which is part of the order, cannot be read", key), err)
		}
		all = append(all, workDocument{Key: doc.Key, Title: doc.Title, Body: doc.Published, PublishedAt: doc.PublishedAt.UTC()})
	}
	return all, nil
}

// Probe is not supported: the service calls back if it accepted a request.
func (s *service) Probe(context.Context, connectors.Call) (bool, outside.Result, error) {
	return false, outside.Result{}, outside.ErrNoProbe
}

// NotifyCancelled notifies the service that a task is no longer needed, if the command has a path for
// that.
func (s *service) NotifyCancelled(ctx context.Context, t *domain.Task, command outside.ConnectorCommand, reason string) error {
	if command.CancelPath == "" {
		return nil
	}
	return s.post(ctx, command.CancelPath, t.ID+"_cancel", http.Header{}, jsonbody.Encode(cancellation{TaskID: t.ID, Reason: reason}))
}

func (s *service) Close() error { return nil }

// post sends a signed message, once. Any 2xx means that it was accepted.
func (s *service) post(ctx context.Context, path, id string, header http.Header, body []byte) error {
	for name, value := range s.config.Headers {
		header.Set(name, value)
	}
	header.Set("Content-Type", "application/json")
	if err := auth.SignWebhook(header, id, s.now(), body, s.config.SigningSecret); err != nil {
		return notSent("the connector has no signing secret", err)
	}
	var left atomic.Bool
	ctx = httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{WroteHeaders: func() { left.Store(true) }})
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, strings.TrimSuffix(s.base.String(), "/")+path, bytes.NewReader(body))
	if err != nil {
		return notSent("its URL is invalid", err)
	}
	request.Header = header
	response, err := s.client.Do(request) //nolint:bodyclose // Discard closes it
	if err != nil {
		return httpcommand.Unanswered(s.name, err, left.Load())
	}
	egress.Discard(response.Body) // // the status is enough
	return httpcommand.Refusal(s.name, response.StatusCode, response.Header)
}

func notSent(why string, cause error) error {
	return &outside.Error{Fault: outside.FaultNotSent, Message: fmt.Sprintf("Nothing was sent: %s.", why), Cause: cause}
}
