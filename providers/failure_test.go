package providers

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/fermata-dev/fermata/internal/egress"
)

func get(t *testing.T, private func(context.Context) bool, url string) error {
	t.Helper()
	client := egress.NewClient(egress.Config{Policy: egress.Policy{Private: private}})
	defer client.CloseIdleConnections()
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
		{413, `{"error":{"message":"Request too large"}}`, ClassInvalidRequest, "too large"},
		{400, `{"error":{"message":"Failed to call a function","code":"tool_use_failed"}}`, ClassNetwork, "Failed"},
		{400, `{"error":{"message":"blocked","code":"content_policy_violation"}}`, ClassRefused, "blocked"},
		{422, `{"detail":[{"loc":["body"],"msg":"extra fields not permitted"}]}`, ClassInvalidRequest, "extra fields"},
		{400, `[{"error":{"message":"in a list","status":"INVALID_ARGUMENT"}}]`, ClassInvalidRequest, "in a list"},
		{402, `{"error":{"message":"Insufficient Balance"}}`, ClassQuota, "Insufficient Balance"},
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

func TestTransportErrorHasTheCause(t *testing.T) {
	stopped := errors.New("stopped by the person")
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(stopped)
	if e := TransportError(ctx, context.Canceled, ""); e.Class != ClassCancelled || !errors.Is(e, stopped) {
		t.Errorf("got %v", e)
	}
	ctx, cancel = context.WithCancelCause(t.Context())
	cancel(Errorf(ClassNetwork, "no data for 2m0s"))
	if e := TransportError(ctx, context.Canceled, ""); e.Class != ClassNetwork || !strings.Contains(e.Message, "no data for") {
		t.Errorf("got %v", e)
	}
	err := get(t, egress.Open, "http://user:pass-word@127.0.0.1:1/secret")
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

// The error of a failed call reveals nothing of the
// network that the server is in.
func TestTransportErrorsRevealNothingOfTheNetwork(t *testing.T) {
	for url, want := range map[string]string{
		"http://127.0.0.1:1/":                      "could not be reached: connection refused",
		"http://name.invalid/":                     "could not be reached: no such host",
		"http://10.255.255.1/":                     "not allowed",
		"http://169.254.169.254/":                  "not allowed",
		"http://[fe80::1%25eth0]/":                 "not allowed",
		"http://localhost:22/":                     "not allowed",
		"http://[::ffff:169.254.169.254]/":         "not allowed",
		"http://[64:ff9b::a9fe:a9fe]/latest/meta":  "not allowed",
		"http://user:pass-word@0.0.0.0:80/?key=sk": "not allowed",
	} {
		private := egress.Open
		if strings.Contains(url, "10.255") {
			private = nil
		}
		e := TransportError(t.Context(), get(t, private, url), "")
		if !strings.HasPrefix(e.Message, want) {
			t.Errorf("%s: %q, want %q", url, e.Message, want)
		}
		for _, word := range []string{"127.0", "10.255", "169.254", "dial", "lookup", "->", ":53", "fe80", "ff9b", "pass-word", "key"} {
			if strings.Contains(e.Message, word) {
				t.Errorf("%s: %q reveals %q", url, e.Message, word)
			}
		}
	}
}
