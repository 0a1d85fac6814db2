package providers

import (
	"context"
	"errors"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"testing"
	"time"
)

func mustAllow(t *testing.T, list string) []AllowedHost {
	t.Helper()
	allowed, err := ParseAllowedHosts(list)
	if err != nil {
		t.Fatal(err)
	}
	return allowed
}

// What each address is, under three policies: the strict one, one that opens private
// networks, and one with exceptions by name.
func TestAddresses(t *testing.T) {
	const public, private, never = "public", "private", "never"
	table := map[string]string{
		"8.8.8.8": public, "1.1.1.1": public, "104.18.0.1": public, "172.15.255.255": public, "172.32.0.1": public,
		"11.0.0.1": public, "100.63.255.255": public, "100.128.0.1": public, "198.17.255.255": public, "198.20.0.1": public,
		"2606:4700::1111": public, "2a00:1450:4007::200e": public, "2003::1": public, "::ffff:8.8.8.8": public,

		"127.0.0.1": private, "127.8.9.10": private, "::1": private, "10.0.0.1": private, "10.255.255.255": private,
		"172.16.0.1": private, "172.31.255.255": private, "192.168.1.1": private, "fc00::1": private, "fd12:3456::1": private,
		"::ffff:127.0.0.1": private, "::ffff:10.1.2.3": private,

		"0.0.0.0": never, "0.1.2.3": never, "::": never, "169.254.169.254": never, "169.254.1.1": never, "fe80::1": never,
		"fe80::1%eth0": never, "100.64.0.1": never, "100.127.255.255": never, "100.100.100.200": never, "168.63.129.16": never,
		"fd00:ec2::254": never, "fd20:ce::254": never, "::ffff:169.254.169.254": never,
		"64:ff9b::7f00:1": never, "64:ff9b::a9fe:a9fe": never, "64:ff9b:1::1": never, "2002:7f00:1::": never,
		"2001:0:4136:e378::1": never, "2001:db8::1": never, "::7f00:1": never, "::ffff:0:7f00:1": never, "fec0::1": never,
		"192.0.0.1": never, "192.0.0.192": never, "192.0.2.1": never, "198.18.0.1": never, "198.51.100.7": never,
		"203.0.113.9": never, "192.88.99.1": never, "240.0.0.1": never, "255.255.255.255": never, "224.0.0.1": never,
		"ff02::1": never, "100::1": never, "5f00::1": never, "3fff::1": never,
	}
	if len(table) < 40 {
		t.Fatalf("only %d addresses", len(table))
	}
	strict, open := OutboundPolicy{}, OutboundPolicy{AllowPrivate: true}
	for text, kind := range table {
		to := netip.AddrPortFrom(netip.MustParseAddr(text), 443)
		if got := strict.Allows(to); got != (kind == public) {
			t.Errorf("strict: %s is %s, allowed %v", text, kind, got)
		}
		if got := open.Allows(to); got != (kind == public || kind == private) {
			t.Errorf("private networks open: %s is %s, allowed %v", text, kind, got)
		}
		named := OutboundPolicy{Allowed: mustAllow(t, "["+strings.Split(text, "%")[0]+"]:443")}
		if !named.Allows(to) {
			t.Errorf("%s is refused although it is named", text)
		}
		if named.Allows(netip.AddrPortFrom(to.Addr(), 22)) != (kind == public) {
			t.Errorf("%s: naming port 443 changes port 22", text)
		}
	}
	network := OutboundPolicy{Allowed: mustAllow(t, "10.1.0.0/16, 100.64.0.0/10,fd00::/8")}
	for text, want := range map[string]bool{"10.1.2.3": true, "::ffff:10.1.2.3": true, "10.2.0.1": false, "100.64.9.9": true, "fd00::5": true} {
		if got := network.Allows(netip.AddrPortFrom(netip.MustParseAddr(text), 80)); got != want {
			t.Errorf("network: %s allowed %v", text, got)
		}
	}
}

func TestAllowedHostsThatMakeNoSense(t *testing.T) {
	for _, list := range []string{"10.0.0.0/99", "http://host/", "user@host", "*.example.com", "a b", ":80", "host/24"} {
		if _, err := ParseAllowedHosts(list); err == nil {
			t.Errorf("%q was taken", list)
		}
	}
	if allowed, err := ParseAllowedHosts("", " Ollama.Local.:11434 ", "a,b"); err != nil || len(allowed) != 3 || allowed[0].Host != "ollama.local" {
		t.Errorf("got %v, %v", allowed, err)
	}
}

func get(t *testing.T, client *http.Client, url string) error {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	response, err := client.Do(request)
	if err != nil {
		return err
	}
	return response.Body.Close()
}

// A server on this machine is reached by the policies that allow it only; a proxy in
// the environment changes nothing.
func TestClientChecksWhereItGoes(t *testing.T) {
	t.Setenv("HTTP_PROXY", "http://127.0.0.1:1")
	server := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	defer server.Close()
	_, port, err := net.SplitHostPort(server.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	table := []struct {
		policy OutboundPolicy
		host   string
		want   bool
	}{
		{OutboundPolicy{}, "127.0.0.1", false},
		{OutboundPolicy{}, "localhost", false},
		{OutboundPolicy{AllowPrivate: true}, "127.0.0.1", true},
		{OutboundPolicy{Allowed: mustAllow(t, "localhost")}, "localhost", true},
		{OutboundPolicy{Allowed: mustAllow(t, "localhost:"+port)}, "LOCALHOST", true},
		{OutboundPolicy{Allowed: mustAllow(t, "localhost:1")}, "localhost", false},
		{OutboundPolicy{Allowed: mustAllow(t, "localhost")}, "127.0.0.1", false},
		{OutboundPolicy{Allowed: mustAllow(t, "127.0.0.0/8")}, "localhost", true},
		{OutboundPolicy{}, "0x7f.1", false},
		{OutboundPolicy{}, "[::ffff:127.0.0.1]", false},
	}
	for _, row := range table {
		client := NewClient(row.policy)
		err := get(t, client, "http://"+row.host+":"+port)
		client.CloseIdleConnections()
		if (err == nil) != row.want {
			t.Errorf("%+v to %s: %v", row.policy, row.host, err)
		}
		if row.want || row.host == "0x7f.1" {
			continue
		}
		if !errors.Is(err, ErrForbiddenAddress) {
			t.Errorf("%s: %v is not told as forbidden", row.host, err)
		}
		if e := TransportError(t.Context(), err, ""); e.Class != ClassInvalidRequest || !strings.Contains(e.Message, "FERMATA_ALLOWED_HOSTS") {
			t.Errorf("%s: %v", row.host, e)
		}
	}
}

// A redirect is checked like a first request, and there are not many of them.
func TestRedirects(t *testing.T) {
	var hops int
	target := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	defer target.Close()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		hops++
		if r.URL.Path == "/loop" {
			http.Redirect(w, r, "/loop", http.StatusFound)
			return
		}
		http.Redirect(w, r, target.URL, http.StatusFound)
	}))
	defer server.Close()
	client := NewClient(OutboundPolicy{Allowed: mustAllow(t, server.Listener.Addr().String())})
	defer client.CloseIdleConnections()
	if err := get(t, client, server.URL); !errors.Is(err, ErrForbiddenAddress) {
		t.Errorf("a redirect to a forbidden address: %v", err)
	}
	hops = 0
	if err := get(t, client, server.URL+"/loop"); !errors.Is(err, ErrTooManyRedirects) || hops != maxRedirects+1 {
		t.Errorf("a loop: %v after %d requests", err, hops)
	}
}

func TestRetryAfter(t *testing.T) {
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	for value, want := range map[string]time.Duration{
		"2": 2 * time.Second, "0.5": 500 * time.Millisecond, "-3": 0, "nonsense": 0, "NaN": 0, "1e300": 10 * time.Minute,
		"99999": 10 * time.Minute, "Fri, 02 Jan 2026 03:04:35 GMT": 30 * time.Second, "Fri, 02 Jan 2026 03:00:00 GMT": 0, "": 0,
	} {
		if got := RetryAfter(http.Header{"Retry-After": {value}}, now); got != want {
			t.Errorf("%q is %s, want %s", value, got, want)
		}
	}
	if got := RetryAfter(http.Header{"Retry-After-Ms": {"1500"}, "Retry-After": {"9"}}, now); got != 1500*time.Millisecond {
		t.Errorf("milliseconds: %s", got)
	}
}

// The many forms in which vendors say what went wrong.
func TestFailures(t *testing.T) {
	const key = "sk-very-secret-1234567890"
	table := []struct {
		status int
		body   string
		class  Class
		says   string
	}{
		{401, `{"error":{"message":"Incorrect API key provided: sk-very-secret-1234567890."}}`, ClassAuthentication, "the key was refused: Incorrect API key provided: [key]"},
		{401, `{"error":{"message":"Bad key sk-ver****7890"}}`, ClassAuthentication, "[key]"},
		{401, `{"error":{"message":"Bad key AIzaSyFake-very-secret"}}`, ClassAuthentication, "Bad key [key]"},
		{403, `forbidden`, ClassAuthentication, "forbidden"},
		{404, `{"error":{"message":"The model x does not exist","code":"model_not_found"}}`, ClassInvalidRequest, "unknown model, or wrong base URL"},
		{404, `<html><head><title>x</title><style>p{}</style></head><body><h1>Not &amp; found</h1></body></html>`, ClassInvalidRequest, "Not & found"},
		{429, `{"error":"slow down"}`, ClassRateLimited, "slow down"},
		{529, `{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}`, ClassOverloaded, "Overloaded"},
		{503, ``, ClassOverloaded, "no reason given"},
		{502, `<html><body>Bad gateway</body></html>`, ClassNetwork, "Bad gateway"},
		{500, `oops`, ClassNetwork, "oops"},
		{400, `{"error":{"message":"This model's maximum context length is 4096 tokens","code":"context_length_exceeded"}}`, ClassContextTooLong, "4096"},
		{400, `{"object":"error","message":"Prompt contains 40000 tokens, too large for model with 32768 maximum context length"}`, ClassContextTooLong, "40000"},
		{400, `{"error":{"code":400,"message":"the request exceeds the available context size","type":"exceed_context_size_error"}}`, ClassContextTooLong, "available"},
		{413, `{"error":{"message":"Request too large"}}`, ClassContextTooLong, "too large"},
		{400, `{"error":{"message":"Failed to call a function","code":"tool_use_failed"}}`, ClassNetwork, "Failed"},
		{400, `{"error":{"message":"blocked","code":"content_policy_violation"}}`, ClassRefused, "blocked"},
		{422, `{"detail":[{"loc":["body"],"msg":"extra fields not permitted"}]}`, ClassInvalidRequest, "extra fields"},
		{400, `[{"error":{"message":"in a list","status":"INVALID_ARGUMENT"}}]`, ClassInvalidRequest, "in a list"},
		{402, `{"error":{"message":"Insufficient Balance"}}`, ClassInvalidRequest, "Insufficient Balance"},
		{0, `{"error":{"code":502,"message":"upstream"}}`, ClassNetwork, "upstream"},
		{0, `{"error":{"type":"overloaded_error","message":"x"}}`, ClassOverloaded, "x"},
		{0, `{"error":{"type":"invalid_request_error","message":"bad"}}`, ClassInvalidRequest, "bad"},
		{0, `{"error":{"message":"rate limit reached"}}`, ClassRateLimited, "reached"},
		{0, `{"error":{"message":"who knows"}}`, ClassNetwork, "who knows"},
		{400, "nul \x00 and \xff", ClassInvalidRequest, "nul \uFFFD and \uFFFD"},
		{400, `{"error":null}`, ClassInvalidRequest, `{"error":null}`},
		{400, `"a string"`, ClassInvalidRequest, "a string"},
	}
	for _, row := range table {
		e := ParseFailure([]byte(row.body)).Error(row.status, key)
		if e.Class != row.class || !strings.Contains(e.Message, row.says) {
			t.Errorf("%d %s: %v, want %s %q", row.status, row.body, e, row.class, row.says)
		}
		if strings.Contains(e.Error(), "very-secret") || strings.Contains(e.Error(), "7890") {
			t.Errorf("the key is in %v", e)
		}
	}
	if e := ParseFailure([]byte(strings.Repeat("word ", 1000))).Error(500, ""); len([]rune(e.Message)) > maxMessage+1 {
		t.Errorf("a message of %d characters", len([]rune(e.Message)))
	}
}

func TestTransportErrorTellsTheCause(t *testing.T) {
	stopped := errors.New("stopped by the person")
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(stopped)
	if e := TransportError(ctx, context.Canceled, ""); e.Class != ClassCancelled || !errors.Is(e, stopped) {
		t.Errorf("got %v", e)
	}
	ctx, cancel = context.WithCancelCause(t.Context())
	cancel(Errorf(ClassNetwork, "nothing came for 2m0s"))
	if e := TransportError(ctx, context.Canceled, ""); e.Class != ClassNetwork || !strings.Contains(e.Message, "nothing came") {
		t.Errorf("got %v", e)
	}
	err := get(t, NewClient(OutboundPolicy{AllowPrivate: true}), "http://user:pass-word@127.0.0.1:1/secret")
	if e := TransportError(t.Context(), err, ""); e.Class != ClassNetwork || strings.Contains(e.Error(), "pass-word") || strings.Contains(e.Error(), "/secret") {
		t.Errorf("got %v", e)
	}
}

func FuzzParseFailure(f *testing.F) {
	f.Add([]byte(`{"error":{"message":"m","code":5}}`))
	f.Add([]byte(`[[[{"detail":[]}`))
	f.Add([]byte("<html>\x00\xff"))
	f.Fuzz(func(t *testing.T, body []byte) {
		e := ParseFailure(body).Error(500, "sk-the-secret-key")
		if strings.Contains(e.Message, "sk-the-secret-key") || strings.ContainsRune(e.Message, 0) || len([]rune(e.Message)) > maxMessage+60 {
			t.Errorf("%q gives %q", body, e.Message)
		}
	})
}
