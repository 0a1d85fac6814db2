package egress

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"net/url"
	"testing"
)

func TestHosts(t *testing.T) {
	for _, c := range []struct {
		entries []string
		url     string
		want    bool
	}{
		{[]string{"*"}, "https://anywhere.example/", true},
		{nil, "https://anywhere.example/", false},
		{[]string{"api.example.com"}, "https://API.example.com./v1", true},
		{[]string{"api.example.com"}, "https://api.example.com:8443/v1", true},
		{[]string{"api.example.com"}, "https://other.api.example.com/", false},
		{[]string{"api.example.com"}, "https://api.example.com.evil.example/", false},
		{[]string{"api.example.com:443"}, "https://api.example.com/", true},
		{[]string{"api.example.com:443"}, "http://api.example.com/", false},
		{[]string{"203.0.113.0/24"}, "https://203.0.113.9/", true},
		{[]string{"203.0.113.0/24"}, "https://[::ffff:203.0.113.9]/", true},
		{[]string{"203.0.113.0/24"}, "https://203.0.114.9/", false},
		{[]string{"0.0.0.0/0"}, "https://name.example/", false}, // what a name leads to, its owner decides
		{[]string{"[2001:db8::1]:8443"}, "https://[2001:db8::1]:8443/", true},
		{[]string{"a.example", "b.example"}, "https://b.example/", true},
	} {
		hosts, err := ParseHosts(c.entries)
		u, bad := url.Parse(c.url)
		if err != nil || bad != nil {
			t.Fatal(err, bad)
		}
		if got := hosts.names(u); got != c.want {
			t.Errorf("%q names %s: %v", c.entries, c.url, got)
		}
	}
	for _, wrong := range []string{"", " ", "*.example.com", "https://a.example", "a b", "10.0.0.0/40", "a.example/path", "me@a.example"} {
		if _, err := ParseHosts([]string{wrong}); err == nil {
			t.Errorf("%q was read", wrong)
		}
	}
}

// Only what is made in a workspace's name is held to its hosts, at each request: a connection
// that is there already, of another workspace even, is no way around.
func TestRequestsInAWorkspacesName(t *testing.T) {
	reached := 0
	server := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { reached++ }))
	defer server.Close()
	rows := map[string][]string{"open": {"*"}, "closed": {"elsewhere.example"}}
	var failures []Reason
	client := NewClient(Config{
		Policy: Policy{Private: Open},
		Hosts: func(_ context.Context, workspace string) (Hosts, error) {
			entries, ok := rows[workspace]
			if !ok {
				return Hosts{}, errors.New("no such workspace")
			}
			return ParseHosts(entries)
		},
		Failed: func(_ context.Context, _ string, reason Reason, _ error) { failures = append(failures, reason) },
	})
	defer client.CloseIdleConnections()
	for _, who := range []*http.Client{client, Of(client, "open"), Of(client, "closed"), Of(client, "gone"), Of(client, "open")} {
		if response, err := who.Get(server.URL); err == nil {
			_ = response.Body.Close()
		}
	}
	if reached != 3 || len(failures) != 2 || failures[0] != ReasonNotNamed || failures[1] != ReasonBrokeOff {
		t.Errorf("%d requests arrived, and the failures are %q", reached, failures)
	}
	rows["closed"] = []string{"*"}
	request, err := http.NewRequestWithContext(For(t.Context(), "closed"), http.MethodGet, server.URL, nil)
	if err != nil {
		t.Fatal(err)
	}
	response, err := client.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	_ = response.Body.Close()
}
