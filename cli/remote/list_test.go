package remote_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strconv"
	"testing"

	"github.com/fermata-dev/fermata/cli/remote"
)

// A list is read to its end, or as far as was asked, by whatever pages the server gives.
func TestAListIsReadByPages(t *testing.T) {
	const there = 450
	var asked []string
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		query := r.URL.Query()
		asked = append(asked, query.Get("limit"))
		from, _ := strconv.Atoi(query.Get("after"))
		limit, _ := strconv.Atoi(query.Get("limit"))
		to := min(from+limit, there)
		next := "null"
		if to < there {
			next = fmt.Sprintf(`"%d"`, to)
		}
		if query.Get("type") != "CHAT" {
			t.Errorf("the query is %v", query)
		}
		body := ""
		for i := from; i < to; i++ {
			body += fmt.Sprintf(",%d", i)
		}
		w.Header().Set("Content-Type", "application/json")
		_, _ = fmt.Fprintf(w, `{"data":[%s],"next_cursor":%s}`, body[1:], next)
	}))
	defer server.Close()
	c, err := remote.New(server.URL, "", "", "dev")
	if err != nil {
		t.Fatal(err)
	}
	for limit, want := range map[int][]string{remote.Everything: {"200", "200", "200"}, 250: {"200", "50"}, 7: {"7"}, there: {"200", "200", "50"}} {
		asked = nil
		all, err := remote.List[int](t.Context(), c, "/v1/sessions", url.Values{"type": {"CHAT"}}, limit)
		if n := min(limit, there); err != nil || len(all) != n || all[n-1] != n-1 || !slices.Equal(asked, want) {
			t.Errorf("%d: %d items, asked %v, %v", limit, len(all), asked, err)
		}
	}
}
