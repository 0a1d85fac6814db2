package handlers_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/fermata-dev/fermata/handlers"
	"github.com/fermata-dev/fermata/handlers/servertest"
)

// The result of get_session has as many of the latest messages as fit in 512 KiB, and always the latest, whatever
// its size. has_earlier reports that there are more.
func TestGetSessionWithLargeMessages(t *testing.T) {
	w := servertest.NewWorld(t)
	h := handlers.New(w.Config)
	post := func(path, body string) *httptest.ResponseRecorder {
		r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, path, strings.NewReader(body))
		r.Header.Set("Authorization", "Bearer root")
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("Accept", "application/json")
		out := httptest.NewRecorder()
		h.ServeHTTP(out, r)
		return out
	}
	const kib = 1 << 10
	for name, c := range map[string]struct {
		sizes     []int
		arguments string
		want      []int // the sizes of the messages in the result
		earlier   bool
	}{
		"one large":              {[]int{600 * kib}, ``, []int{600 * kib}, false},
		"one beyond a page":      {[]int{3500 * kib}, `,"messages":200`, []int{3500 * kib}, false},
		"the latest is large":    {[]int{1, 600 * kib}, `,"messages":200`, []int{600 * kib}, true},
		"an earlier one is":      {[]int{600 * kib, 1, 2}, `,"messages":200`, []int{1, 2}, true},
		"several that fit":       {[]int{200 * kib, 200 * kib, 3}, `,"messages":200`, []int{200 * kib, 200 * kib, 3}, false},
		"several too many":       {[]int{300 * kib, 300 * kib, 3}, ``, []int{300 * kib, 3}, true},
		"one is asked for":       {[]int{1, 2}, `,"messages":1`, []int{2}, true},
		"none is asked for":      {[]int{600 * kib}, `,"messages":0`, []int{}, false},
		"grows when it is JSON":  {[]int{-120 * kib, 1}, ``, []int{1}, true},
		"small, and all of them": {[]int{1, 2, 3}, ``, []int{1, 2, 3}, false},
	} {
		var made struct {
			ID string `json:"id"`
		}
		if err := json.Unmarshal(post("/v1/sessions", `{"name":"Large"}`).Body.Bytes(), &made); err != nil {
			t.Fatal(err)
		}
		for _, size := range c.sizes {
			text := strings.Repeat("a", max(size, 0)) + strings.Repeat("\x01", max(-size, 0)) // six bytes of JSON each
			w.SayIn(t, made.ID, text)
		}
		got := post("/mcp", mcpRead("get_session", `{"session_id":"`+made.ID+`"`+c.arguments+`}`))
		var answer struct {
			Result struct {
				Content []struct {
					Text string `json:"text"`
				} `json:"content"`
				Structured struct {
					Messages []struct {
						Rich struct {
							Text string `json:"linear_text"`
						} `json:"rich_content"`
					} `json:"messages"`
					Earlier bool `json:"has_earlier"`
				} `json:"structuredContent"`
			} `json:"result"`
		}
		if err := json.Unmarshal(got.Body.Bytes(), &answer); err != nil || len(answer.Result.Content) != 1 {
			t.Fatalf("%s: %d %.300s", name, got.Code, got.Body)
		}
		sizes := []int{}
		for _, m := range answer.Result.Structured.Messages {
			sizes = append(sizes, len(m.Rich.Text))
		}
		servertest.Equal(t, name, sizes, c.want)
		servertest.Equal(t, name+": has_earlier", answer.Result.Structured.Earlier, c.earlier)
		text, long := answer.Result.Content[0].Text, got.Body.Len() > 200*kib
		if note := strings.Contains(text, "The complete result is in structuredContent"); note != long || len(text) > 65*kib {
			t.Errorf("%s: the text form has %d bytes, with a note: %v", name, len(text), note)
		}
	}
}
