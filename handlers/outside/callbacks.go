package outside

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strings"

	"github.com/fermata-dev/fermata/api"
	"github.com/fermata-dev/fermata/auth"
	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/handlers/edge"
	"github.com/fermata-dev/fermata/internal/cache"
	"github.com/fermata-dev/fermata/internal/clock"
	"github.com/fermata-dev/fermata/internal/jsonbody"
)

// ReportTask takes what a service says of its work. Its signature is all that it has, and
// is looked at before anything else of what it sent is read.
func (s *TaskHandlers) ReportTask(w http.ResponseWriter, r *http.Request) {
	body, err := s.signedBody(w, r)
	if err != nil {
		s.Fail(w, r, s.admitReport(w, r, err))
		return
	}
	var in api.TaskReport
	if err := readReport(w, r, body, &in); err != nil {
		s.Fail(w, r, err)
		return
	}
	if in.TaskID != nil && *in.TaskID != taskID(r) {
		s.Fail(w, r, s.admitReport(w, r, badSignature(errOtherTask)))
		return
	}
	task, err := s.Callbacks.ReportTask(r.Context(), taskID(r), in.Domain(r.Header.Get(auth.HeaderWebhookID)))
	if err != nil {
		s.Fail(w, r, err)
		return
	}
	s.WriteJSON(w, r, http.StatusOK, api.TaskReceiptFrom(task))
}

func readReport(w http.ResponseWriter, r *http.Request, body []byte, in *api.TaskReport) error {
	if len(bytes.TrimSpace(body)) == 0 {
		return edge.EmptyBody()
	}
	if err := edge.CheckType(w, r); err != nil {
		return err
	}
	return edge.Decode(body, in)
}

// signedBody reads the body of a message that is signed by the service of the task.
func (s *TaskHandlers) signedBody(w http.ResponseWriter, r *http.Request) ([]byte, error) {
	secrets, err := s.Callbacks.CallbackSecrets(r.Context(), taskID(r))
	if err != nil {
		return nil, err
	}
	if err := edge.CheckEncoding(w, r); err != nil {
		return nil, err
	}
	body, err := edge.WholeBody(w, r, jsonbody.MaxReport)
	if err != nil {
		return nil, edge.IncompleteBody(err)
	}
	err = auth.VerifyWebhook(r.Header, body, s.Clock(), secrets...)
	if err != nil {
		return nil, badSignature(err)
	}
	if !s.isOf(taskID(r), r.Header, body, secrets) {
		return nil, badSignature(errOtherTask)
	}
	return body, nil
}

var (
	errOtherTask = errors.New("the message is about another task")
	// taskName matches the id of a task in the id of a message.
	taskName = regexp.MustCompile(`tsk_[0-9A-Za-z]+`)
)

// reports remembers for which tasks signed reports were taken, for longer than a signature is good.
type reports = cache.TTL[[sha256.Size]byte, string]

func newReports(c clock.Clock) *reports {
	return cache.NewTTL[[sha256.Size]byte, string](c, 3*auth.WebhookTolerance)
}

// isOf says whether a signed message is about this task: its id names it, or none, and then it was
// not taken for another one before. All tasks of a connector have one secret.
func (s *TaskHandlers) isOf(task string, h http.Header, body []byte, secrets []string) bool {
	id := h.Get(auth.HeaderWebhookID)
	if named := taskName.FindAllString(id, -1); len(named) > 0 {
		return slices.Contains(named, task)
	}
	key := sha256.New()
	for _, part := range [][]byte{[]byte(id), []byte(h.Get(auth.HeaderWebhookTimestamp)), []byte(strings.Join(secrets, " ")), body} {
		fmt.Fprintf(key, "%d:", len(part))
		key.Write(part)
	}
	first, _ := s.reports.Get([sha256.Size]byte(key.Sum(nil)), func() (string, bool, error) { return task, true, nil })
	return first == task
}

func badSignature(err error) error {
	message := "The message is not signed by the service of this task. Nothing was read of it."
	switch {
	case errors.Is(err, errOtherTask):
		message = "The message is signed for another task of this service. Nothing was done."
	case errors.Is(err, auth.ErrUnsigned):
		message = "The message is not signed: webhook-id, webhook-timestamp and webhook-signature are needed."
	case errors.Is(err, auth.ErrStale):
		message = "The message was signed more than five minutes from now. Sign it again, and look at the clock."
	}
	return &domain.Error{Code: edge.CodeBadSignature, Message: message, Err: err}
}

// admitReport counts who names a task that is not there, or cannot sign for it, as the
// calls of webhooks with a wrong token are.
func (s *TaskHandlers) admitReport(w http.ResponseWriter, r *http.Request, err error) error {
	if code := domain.ErrorCode(err); code != edge.CodeBadSignature && code != domain.CodeNotFound {
		return err
	}
	if wait, ok := s.Hooks.Forged.Take(edge.LimitKey(r)); !ok {
		return s.Refusals.TooMany(w, r, wait)
	}
	return err
}
