package web

import (
	"io/fs"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"
)

func get(t *testing.T, method, path string, header ...string) *http.Response {
	t.Helper()
	r := httptest.NewRequest(method, path, nil)
	for i := 0; i+1 < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	w := httptest.NewRecorder()
	Handler().ServeHTTP(w, r)
	return w.Result()
}

func TestThePageAndItsFiles(t *testing.T) {
	for path, kind := range map[string]string{
		"/": "text/html; charset=utf-8", "/index.html": "text/html; charset=utf-8", "/app.js": "text/javascript; charset=utf-8",
		"/lib/stream.js": "text/javascript; charset=utf-8", "/style.css": "text/css; charset=utf-8", "/icon.svg": "image/svg+xml",
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
	for _, path := range []string{"/nothing", "/lib", "/lib/", "/../embed.go", "/page/index.html", "/index.html/"} {
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

// What the policy forbids would silently not work, and what leaves the server must not
// be there at all.
func TestThePageKeepsToItsPolicy(t *testing.T) {
	forbidden := map[string]*regexp.Regexp{
		"an inline script":           regexp.MustCompile(`<script[^>]*>[^<]`),
		"an inline style":            regexp.MustCompile(`<style|\sstyle=|style:\s*['"]`),
		"an inline handler":          regexp.MustCompile(`<[^>]+\son\w+=`),
		"text parsed as HTML":        regexp.MustCompile(`innerHTML|outerHTML|insertAdjacentHTML|document\.write|DOMParser|\beval\(|new Function`),
		"an address of another host": regexp.MustCompile(`(?:src|href|fetch\(|import|url\()\s*[=(]?\s*['"]https?://`),
	}
	err := fs.WalkDir(Files, ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		body, err := fs.ReadFile(Files, name)
		if err != nil {
			return err
		}
		for what, pattern := range forbidden {
			if found := pattern.Find(body); found != nil {
				t.Errorf("%s holds %s: %q", name, what, found)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

var textKey = regexp.MustCompile(`(?m)^\s*'([\w.]+)':|, '([\w.]+)': ['{]`)

// Every text is there in both languages, and every key that the page names exists.
func TestTextsAreCompleteInBothLanguages(t *testing.T) {
	keys := map[string]map[string]bool{}
	for _, lang := range []string{"en", "fr"} {
		body, err := fs.ReadFile(Files, "lib/texts."+lang+".js")
		if err != nil {
			t.Fatal(err)
		}
		keys[lang] = map[string]bool{}
		for _, m := range textKey.FindAllStringSubmatch(string(body), -1) {
			keys[lang][m[1]+m[2]] = true
		}
	}
	if len(keys["en"]) < 150 {
		t.Fatalf("only %d keys were found", len(keys["en"]))
	}
	for key := range keys["en"] {
		if !keys["fr"][key] {
			t.Errorf("%s has no French text", key)
		}
	}
	for key := range keys["fr"] {
		if !keys["en"][key] {
			t.Errorf("%s has no English text", key)
		}
	}
	used := regexp.MustCompile(`\bt\('([\w.]+)'|data-t(?:-label|-placeholder)?="([\w.]+)"`)
	err := fs.WalkDir(Files, ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		body, err := fs.ReadFile(Files, name)
		for _, m := range used.FindAllStringSubmatch(string(body), -1) {
			if key := m[1] + m[2]; !keys["en"][key] {
				t.Errorf("%s names the text %s, which does not exist", name, key)
			}
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}
