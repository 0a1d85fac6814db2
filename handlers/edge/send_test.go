package edge_test

import (
	"compress/gzip"
	"io"
	"net/http"
	"strconv"
	"strings"
	"testing"

	"github.com/fermata-dev/fermata/handlers/servertest"
)

// raw asks without the client's own unpacking.
func raw(t *testing.T, c *servertest.Client, method, path string, headers ...string) (*http.Response, []byte) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, c.URL+path, nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer root")
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	res, err := (&http.Transport{DisableCompression: true, DisableKeepAlives: true}).RoundTrip(r)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = res.Body.Close() }()
	body, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return res, body
}

func TestLongAnswersArePacked(t *testing.T) {
	c := servertest.NewWorld(t).Serve(t)
	plain, want := raw(t, c, "GET", "/v1/commands")
	if plain.Header.Get("Content-Encoding") != "" || plain.Header.Get("Vary") != "Accept-Encoding" || plain.ContentLength != int64(len(want)) {
		t.Fatalf("plain: %v", plain.Header)
	}
	packed, body := raw(t, c, "GET", "/v1/commands", "Accept-Encoding", "br, gzip;q=0.8")
	if packed.Header.Get("Content-Encoding") != "gzip" || len(body)*2 > len(want) {
		t.Fatalf("%d bytes of %d: %v", len(body), len(want), packed.Header)
	}
	unpacked, err := gzip.NewReader(strings.NewReader(string(body)))
	if err != nil {
		t.Fatal(err)
	}
	if got, err := io.ReadAll(unpacked); err != nil || string(got) != string(want) {
		t.Errorf("unpacked: %v, %d bytes, want %d", err, len(got), len(want))
	}
	for _, never := range [][]string{
		{"GET", "/v1/commands", "gzip;q=0"}, {"GET", "/v1/commands", "identity"}, {"GET", "/v1/zones", "gzip"}, {"GET", "/v1/zones/none", "gzip"},
	} {
		if res, _ := raw(t, c, never[0], never[1], "Accept-Encoding", never[2]); res.Header.Get("Content-Encoding") != "" {
			t.Errorf("%v was packed", never)
		}
	}
	head, none := raw(t, c, "HEAD", "/v1/commands")
	if head.ContentLength != int64(len(want)) || len(none) != 0 {
		t.Errorf("HEAD: length %d and %d bytes, want %d and none", head.ContentLength, len(none), len(want))
	}
}

func TestAnAnswerSaysHowLongItTook(t *testing.T) {
	c := servertest.NewWorld(t).Serve(t)
	if res, _ := raw(t, c, "GET", "/v1/zones/none"); res.Header.Get("Server-Timing") != "" {
		t.Error("a refusal says how long it took")
	}
	for _, path := range []string{"/v1/zones", "/v1/settings"} {
		res, _ := raw(t, c, "GET", path)
		took, is := strings.CutPrefix(res.Header.Get("Server-Timing"), "app;dur=")
		if _, err := strconv.ParseFloat(took, 64); !is || err != nil {
			t.Errorf("%s: Server-Timing %q", path, res.Header.Get("Server-Timing"))
		}
	}
}
