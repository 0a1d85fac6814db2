package edge

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/fermata-dev/fermata/domain"
)

const (
	defaultLimit = 50
	maxLimit     = 200
	maxAfter     = 500 // bytes of a cursor
)

// WriteJSON writes an answer. v is made of types of package api, whose raw parts are
// valid JSON: an error here is a mistake in the program, which the caller must not take
// for a success.
func (s *Edge) WriteJSON(w http.ResponseWriter, r *http.Request, status int, v any) {
	body, err := json.Marshal(v)
	s.WriteEncoded(w, r, status, body, err)
}

// WriteEncoded writes an answer that is JSON already, or could not be made so.
func (s *Edge) WriteEncoded(w http.ResponseWriter, r *http.Request, status int, body []byte, err error) {
	if err != nil {
		s.Fail(w, r, fmt.Errorf("encode the answer: %w", err))
		return
	}
	room, err := s.roomForAnswer(w, r, len(body))
	if err != nil {
		s.Fail(w, r, err)
		return
	}
	defer room.Release()
	s.send(w, r, status, body)
}

// roomForAnswer counts a response against the limits until it is read. A response that only reads data waits its
// turn like a page; the outcome of a change is sent in any case.
func (s *Edge) roomForAnswer(w http.ResponseWriter, r *http.Request, bytes int) (*Hold, error) {
	switch {
	case bytes < SmallAnswer:
		return nil, nil
	case Safe(r.Method):
		return s.RoomFor(w, r, int64(bytes), Accounts(r))
	}
	return s.Ledger.Take(int64(bytes), Accounts(r)...), nil
}

// Cut takes a page out of a list that is read whole; the cursor is the id of the last
// item of the page before.
func Cut[T any](items []T, id func(*T) string, limit int, after string) ([]T, string, error) {
	if after != "" {
		i := 0
		for i < len(items) && id(&items[i]) != after {
			i++
		}
		if i == len(items) {
			return nil, "", badCursor()
		}
		items = items[i+1:]
	}
	if len(items) <= limit {
		return items, "", nil
	}
	return items[:limit], id(&items[limit-1]), nil
}

func badCursor() error {
	return domain.Invalid("/after", "bad_cursor", "This is no cursor of this list, or what it points at is gone. Begin again without it.")
}

// LimitOf reads ?limit=.
func LimitOf(r *http.Request) (int, error) {
	q := r.URL.Query()
	if !q.Has("limit") {
		return defaultLimit, nil
	}
	n, err := Digits(q.Get("limit"))
	if err != nil || n < 1 || n > maxLimit {
		return 0, domain.Invalid("/limit", "out_of_range", "limit takes a whole number from 1 to %d.", maxLimit)
	}
	return int(n), nil
}

// Digits reads a number that is none but digits: a sign in an address or a header is a mistake.
func Digits(text string) (int64, error) {
	n, err := strconv.ParseUint(text, 10, 63)
	return int64(n), err //nolint:wrapcheck // callers write the message
}

// Paging reads ?limit= and ?after=.
func Paging(r *http.Request) (limit int, after string, err error) {
	limit, err = LimitOf(r)
	after = r.URL.Query().Get("after")
	if err == nil && len(after) > maxAfter {
		err = badCursor()
	}
	return limit, after, err
}

// NumberAfter reads ?after= where it is a number; 0 without it.
func NumberAfter(r *http.Request) (int64, error) {
	text := r.URL.Query().Get("after")
	if text == "" {
		return 0, nil
	}
	n, err := Digits(text)
	if err != nil {
		return 0, domain.Invalid("/after", "bad_cursor", "after takes a whole number, 0 or more.")
	}
	return n, nil
}

// TimeOf reads a time from the query; zero without it.
func TimeOf(r *http.Request, name string) (time.Time, error) {
	text := r.URL.Query().Get(name)
	if text == "" {
		return time.Time{}, nil
	}
	// A "+" that was not escaped has become a space.
	t, err := time.Parse(time.RFC3339Nano, strings.ReplaceAll(text, " ", "+"))
	if err != nil {
		return time.Time{}, domain.Invalid("/"+name, "wrong_format", `%s takes a time like "2026-03-02T07:30:00Z".`, name)
	}
	return t.UTC(), nil
}

// OneOf reads a value from the query that must be one of a few; "" without it.
func OneOf[T ~string](r *http.Request, name string, allowed ...T) (T, error) {
	text := r.URL.Query().Get(name)
	if text == "" {
		return "", nil
	}
	names := make([]string, 0, len(allowed))
	for _, a := range allowed {
		if string(a) == text {
			return a, nil
		}
		names = append(names, string(a))
	}
	return "", domain.Invalid("/"+name, "not_allowed", "%s takes one of: %s.", name, strings.Join(names, ", "))
}

// Statuses are the values of a parameter for the status of sessions.
var Statuses = []domain.Status{
	domain.StatusIdle, domain.StatusQueued, domain.StatusRunning, domain.StatusRequiresAction,
	domain.StatusWaiting, domain.StatusSuspended, domain.StatusEnded,
}

// BoolOf reads true or false from the query; false without it.
func BoolOf(r *http.Request, name string) (bool, error) {
	v, err := OneOf(r, name, "true", "false")
	return v == "true", err
}

func SetETag(w http.ResponseWriter, version int64) {
	w.Header().Set("ETag", `"`+strconv.FormatInt(version, 10)+`"`)
}

// SetSeq says at which event a change shows.
func SetSeq(w http.ResponseWriter, seq int64) {
	if seq > 0 {
		w.Header().Set("Fermata-Event-Seq", strconv.FormatInt(seq, 10))
	}
}
