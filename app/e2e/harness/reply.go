package harness

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
)

// Reply is an answer of the API.
type Reply struct {
	T      testing.TB
	Status int
	Header http.Header
	Body   []byte
}

// Call makes a request; body is encoded as JSON unless it is a string.
func (s *Server) Call(method, path string, body any, headers ...string) *Reply {
	s.T.Helper()
	var reader io.Reader
	switch b := body.(type) {
	case nil:
	case string:
		reader = strings.NewReader(b)
	default:
		encoded, err := json.Marshal(b)
		if err != nil {
			s.T.Fatal(err)
		}
		reader = bytes.NewReader(encoded)
	}
	request, err := http.NewRequest(method, s.URL+path, reader)
	if err != nil {
		s.T.Fatal(err)
	}
	if body != nil {
		request.Header.Set("Content-Type", "application/json")
	}
	if s.Key != "" {
		request.Header.Set("Authorization", "Bearer "+s.Key)
	}
	for i := 0; i < len(headers); i += 2 {
		request.Header.Set(headers[i], headers[i+1])
	}
	response, err := s.client.Do(request)
	if err != nil {
		s.T.Fatalf("%s %s: %v", method, path, err)
	}
	defer response.Body.Close()
	r := &Reply{T: s.T, Status: response.StatusCode, Header: response.Header}
	if r.Body, err = io.ReadAll(response.Body); err != nil {
		s.T.Fatalf("%s %s: read the answer: %v", method, path, err)
	}
	return r
}

// Want checks the status.
func (r *Reply) Want(status int) *Reply {
	r.T.Helper()
	if r.Status != status {
		r.T.Fatalf("status %d, want %d: %s", r.Status, status, r.Body)
	}
	return r
}

// Problem checks status and code of an error.
func (r *Reply) Problem(status int, code string) *Reply {
	r.T.Helper()
	r.Want(status)
	if got := r.Str("code"); got != code {
		r.T.Fatalf("code %q, want %q: %s", got, code, r.Body)
	}
	return r
}

// At finds a value by its path: "session.id", "data.0.name".
func (r *Reply) At(path string) any {
	r.T.Helper()
	var value any
	if err := json.Unmarshal(r.Body, &value); err != nil {
		r.T.Fatalf("not JSON: %s", r.Body)
	}
	for part := range strings.SplitSeq(path, ".") {
		switch v := value.(type) {
		case map[string]any:
			value = v[part]
		case []any:
			var i int
			if _, err := fmt.Sscan(part, &i); err != nil || i >= len(v) {
				return nil
			}
			value = v[i]
		default:
			return nil
		}
	}
	return value
}

// Str is At for a text.
func (r *Reply) Str(path string) string {
	r.T.Helper()
	text, _ := r.At(path).(string)
	return text
}

// List is At for a list.
func (r *Reply) List(path string) []any {
	r.T.Helper()
	all, _ := r.At(path).([]any)
	return all
}
