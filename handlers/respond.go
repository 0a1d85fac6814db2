package handlers

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

// writeJSON writes an answer. v is made of types of package api, whose raw parts are
// valid JSON: an error here is a mistake in the program, which the caller must not take
// for a success.
func (s *edge) writeJSON(w http.ResponseWriter, r *http.Request, status int, v any) {
	body, err := json.Marshal(v)
	s.writeEncoded(w, r, status, body, err)
}

// writeEncoded writes an answer that is JSON already, or could not be made so.
func (s *edge) writeEncoded(w http.ResponseWriter, r *http.Request, status int, body []byte, err error) {
	if err != nil {
		s.fail(w, r, fmt.Errorf("encode the answer: %w", err))
		return
	}
	room, err := s.roomForAnswer(w, r, len(body))
	if err != nil {
		s.fail(w, r, err)
		return
	}
	defer room.release()
	s.send(w, r, status, body)
}

// roomForAnswer counts a response against the limits until it is read. A response that only reads data waits its
// turn like a page; the outcome of a change is sent in any case.
func (s *edge) roomForAnswer(w http.ResponseWriter, r *http.Request, bytes int) (*hold, error) {
	switch {
	case bytes < smallAnswer:
		return nil, nil
	case safe(r.Method):
		return s.roomFor(w, r, int64(bytes), accounts(r))
	}
	return s.unread.take(int64(bytes), accounts(r)...), nil
}

// cut takes a page out of a list that is read whole; the cursor is the id of the last
// item of the page before.
func cut[T any](items []T, id func(*T) string, limit int, after string) ([]T, string, error) {
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

// limitOf reads ?limit=.
func limitOf(r *http.Request) (int, error) {
	q := r.URL.Query()
	if !q.Has("limit") {
		return defaultLimit, nil
	}
	n, err := digits(q.Get("limit"))
	if err != nil || n < 1 || n > maxLimit {
		return 0, domain.Invalid("/limit", "out_of_range", "limit takes a whole number from 1 to %d.", maxLimit)
	}
	return int(n), nil
}

// digits reads a number that is none but digits: a sign in an address or a header is a mistake.
func digits(text string) (int64, error) {
	n, err := strconv.ParseUint(text, 10, 63)
	return int64(n), err //nolint:wrapcheck // callers write the message
}

// paging reads ?limit= and ?after=.
func paging(r *http.Request) (limit int, after string, err error) {
	limit, err = limitOf(r)
	after = r.URL.Query().Get("after")
	if err == nil && len(after) > maxAfter {
		err = badCursor()
	}
	return limit, after, err
}

// numberAfter reads ?after= where it is a number; 0 without it.
func numberAfter(r *http.Request) (int64, error) {
	text := r.URL.Query().Get("after")
	if text == "" {
		return 0, nil
	}
	n, err := digits(text)
	if err != nil {
		return 0, domain.Invalid("/after", "bad_cursor", "after takes a whole number, 0 or more.")
	}
	return n, nil
}

// timeOf reads a time from the query; zero without it.
func timeOf(r *http.Request, name string) (time.Time, error) {
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

// oneOf reads a value from the query that must be one of a few; "" without it.
func oneOf[T ~string](r *http.Request, name string, allowed ...T) (T, error) {
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

// boolOf reads true or false from the query; false without it.
func boolOf(r *http.Request, name string) (bool, error) {
	v, err := oneOf(r, name, "true", "false")
	return v == "true", err
}

func setETag(w http.ResponseWriter, version int64) {
	w.Header().Set("ETag", `"`+strconv.FormatInt(version, 10)+`"`)
}

// setSeq says at which event a change shows.
func setSeq(w http.ResponseWriter, seq int64) {
	if seq > 0 {
		w.Header().Set("Fermata-Event-Seq", strconv.FormatInt(seq, 10))
	}
}
