package web

import (
	"compress/gzip"
	"io"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"
	"testing/fstest"
)

// site is an example of a built page, so that the tests need no Node.
var site = fstest.MapFS{
	"index.html":           {Data: []byte("<!doctype html><title>Fermata</title>" + strings.Repeat("<p>Hold here.</p>", 50))},
	"assets/index-a1b2.js": {Data: []byte(strings.Repeat("export const hold = 'here';\n", 200))},
	// A brotli variant is sent unchanged, and has no path of its own.
	"assets/large-c3d4.js":    {Data: []byte(strings.Repeat("export const large = 'here';\n", 200))},
	"assets/large-c3d4.js.br": {Data: []byte("in brotli")},
	"docs.html":               {Data: []byte("<!doctype html><title>The API</title>")},
	"icon.svg":                {Data: []byte("<svg/>")},
	"icons/icon-192.png":      {Data: []byte("a picture")},
	"manifest.webmanifest":    {Data: []byte("{}")},
	"sw.js":                   {Data: []byte("self")},
	".gitignore":              {Data: []byte("*")},
}

func ask(t *testing.T, files fs.FS, method, path string, header ...string) *http.Response {
	t.Helper()
	r := httptest.NewRequest(method, path, nil)
	for i := 0; i+1 < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	w := httptest.NewRecorder()
	handler(files).ServeHTTP(w, r)
	return w.Result()
}

func get(t *testing.T, method, path string, header ...string) *http.Response {
	t.Helper()
	return ask(t, site, method, path, header...)
}

func TestThePageAndItsFiles(t *testing.T) {
	for path, kind := range map[string]string{
		"/": "text/html; charset=utf-8", "/index.html": "text/html; charset=utf-8",
		"/assets/index-a1b2.js": "text/javascript; charset=utf-8", "/icon.svg": "image/svg+xml",
		"/docs": "text/html; charset=utf-8", "/icons/icon-192.png": "image/png",
		"/manifest.webmanifest": "application/manifest+json", "/sw.js": "text/javascript; charset=utf-8",
	} {
		r := get(t, "GET", path)
		if r.StatusCode != 200 || r.Header.Get("Content-Type") != kind {
			t.Errorf("%s: %d %s", path, r.StatusCode, r.Header.Get("Content-Type"))
		}
		policy := r.Header.Get("Content-Security-Policy")
		if !strings.Contains(policy, "default-src 'none'") || strings.Contains(policy, "unsafe") || strings.Contains(policy, "http") {
			t.Errorf("%s: policy %q", path, policy)
		}
		again := get(t, "GET", path, "If-None-Match", `"other", W/`+r.Header.Get("ETag"))
		if again.StatusCode != 304 || again.ContentLength > 0 {
			t.Errorf("%s was sent again: %d", path, again.StatusCode)
		}
		if changed := get(t, "GET", path, "If-None-Match", `"other"`); changed.StatusCode != 200 {
			t.Errorf("%s was not sent: %d", path, changed.StatusCode)
		}
	}
}

func TestWhatIsNotThere(t *testing.T) {
	for _, path := range []string{"/nothing", "/assets", "/assets/", "/../embed.go", "/.gitignore", "/dist/index.html", "/index.html/"} {
		if r := get(t, "GET", path); r.StatusCode != 404 || r.Header.Get("Content-Type") != "application/problem+json" {
			t.Errorf("%s: %d %s", path, r.StatusCode, r.Header.Get("Content-Type"))
		}
	}
	if r := get(t, "POST", "/"); r.StatusCode != 405 || r.Header.Get("Allow") != "GET, HEAD" {
		t.Errorf("POST: %d %v", r.StatusCode, r.Header)
	}
	if r := get(t, "HEAD", "/"); r.StatusCode != 200 || r.Header.Get("Content-Length") == "" {
		t.Errorf("HEAD: %d %v", r.StatusCode, r.Header)
	}
}

// Browsers revalidate the page at each load, and load files with a content hash in their
// name only once.
func TestWhatABrowserKeeps(t *testing.T) {
	if got := get(t, "GET", "/").Header.Get("Cache-Control"); got != "no-cache" {
		t.Errorf("the page: %s", got)
	}
	// A cached worker would keep its old version of the page.
	for _, path := range []string{"/sw.js", "/manifest.webmanifest", "/icons/icon-192.png"} {
		if got := get(t, "GET", path).Header.Get("Cache-Control"); got != "no-cache" {
			t.Errorf("%s: %s", path, got)
		}
	}
	if got := get(t, "GET", "/assets/index-a1b2.js").Header.Get("Cache-Control"); !strings.Contains(got, "immutable") {
		t.Errorf("an asset: %s", got)
	}
}

func TestFilesAreCompressedForThoseWhoCan(t *testing.T) {
	const path = "/assets/index-a1b2.js"
	plain, err := io.ReadAll(get(t, "GET", path).Body)
	if err != nil {
		t.Fatal(err)
	}
	r := get(t, "GET", path, "Accept-Encoding", "br;q=1.0, gzip;q=0.8")
	if r.Header.Get("Content-Encoding") != "gzip" || r.ContentLength >= int64(len(plain)) || r.Header.Get("Vary") != "Accept-Encoding" {
		t.Fatalf("%v of %d bytes: %v", r.ContentLength, len(plain), r.Header)
	}
	reader, err := gzip.NewReader(r.Body)
	if err != nil {
		t.Fatal(err)
	}
	if unpacked, err := io.ReadAll(reader); err != nil || string(unpacked) != string(plain) {
		t.Errorf("it unpacks to %d bytes of %d: %v", len(unpacked), len(plain), err)
	}
	for _, refused := range []string{"", "br", "gzip;q=0", "gzip; q=0, br"} {
		if got := get(t, "GET", path, "Accept-Encoding", refused).Header.Get("Content-Encoding"); got != "" {
			t.Errorf("encoding %s for Accept-Encoding %q", got, refused)
		}
	}
	if got := get(t, "GET", "/icon.svg", "Accept-Encoding", "gzip").Header.Get("Content-Encoding"); got != "" {
		t.Errorf("a file that gets longer was compressed as %s", got)
	}
}

// Files that the build compressed are sent to clients that accept the encoding.
func TestFilesArePackedByTheBuild(t *testing.T) {
	const path = "/assets/large-c3d4.js"
	for accepted, want := range map[string]string{
		"gzip, deflate, br, zstd": "br", "br": "br", "br;q=0.1, gzip": "br", "gzip": "gzip", "br;q=0, gzip": "gzip", "": "", "brotli": "",
	} {
		r := get(t, "GET", path, "Accept-Encoding", accepted)
		body, err := io.ReadAll(r.Body)
		if got := r.Header.Get("Content-Encoding"); err != nil || got != want || (string(body) == "in brotli") != (want == "br") {
			t.Errorf("for Accept-Encoding %q the encoding is %q: %q, %v", accepted, got, body, err)
		}
		if r.Header.Get("Vary") != "Accept-Encoding" || r.Header.Get("Content-Type") != "text/javascript; charset=utf-8" {
			t.Errorf("to who takes %q: %v", accepted, r.Header)
		}
	}
	if r := get(t, "GET", path+".br"); r.StatusCode != http.StatusNotFound {
		t.Errorf("the packed file by itself: %d", r.StatusCode)
	}
}

// Without a build the server explains what is missing, at the same address.
func TestWithoutABuild(t *testing.T) {
	files, built := choose(fstest.MapFS{".gitignore": {}}, mustSub(unbuilt, "unbuilt"))
	if built {
		t.Error("an empty folder passes for a built page")
	}
	body, err := io.ReadAll(ask(t, files, "GET", "/").Body)
	if err != nil || !strings.Contains(string(body), "make build") {
		t.Errorf("it does not say how to build the page: %v %s", err, body)
	}
	if files, built := choose(site, nil); !built || files == nil {
		t.Error("a built page is not taken")
	}
}

// The policy allows the manifest and the service worker of the page.
func TestThePageMayBeInstalled(t *testing.T) {
	policy := get(t, "GET", "/").Header.Get("Content-Security-Policy")
	for _, want := range []string{"manifest-src 'self'", "worker-src 'self'", "connect-src 'self'"} {
		if !strings.Contains(policy, want) {
			t.Errorf("the policy %q does not say %s", policy, want)
		}
	}
}

// Content that the policy forbids would silently fail. The browser tests check the built
// page.
func TestThePageKeepsToItsPolicy(t *testing.T) {
	forbidden := regexp.MustCompile(`<script[^>]*>[^<]|<style|\sstyle=|<[^>]+\son\w+=|(?:src|href)=.https?://`)
	for name, files := range map[string]fs.FS{"the page": Files, "the page that says what is missing": mustSub(unbuilt, "unbuilt")} {
		body, err := fs.ReadFile(files, "index.html")
		if err != nil {
			t.Fatal(err)
		}
		if found := forbidden.Find(body); found != nil {
			t.Errorf("%s holds %q", name, found)
		}
	}
}
