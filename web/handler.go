package web

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io/fs"
	"mime"
	"net/http"
	"path"
	"strconv"
	"strings"
)

// contentSecurityPolicy lets the page run its own files and talk to its own server,
// and nothing else: text of a model that slipped through as markup could neither run
// nor phone home. There is no inline script or style, so no exception is needed.
const contentSecurityPolicy = "default-src 'none'; script-src 'self'; style-src 'self'; " +
	"img-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

// asset is a file as it is sent, with all that can be computed once.
type asset struct {
	body     []byte
	mimeType string
	etag     string
}

// Handler serves the page: "/" and the files beside it. A path that is no file is a
// 404 in the form of the API's errors; other methods than GET and HEAD are a 405.
func Handler() http.Handler {
	assets, err := load(Files)
	if err != nil {
		panic(err) // the files are in the binary: reading them cannot fail
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		serve(w, r, assets)
	})
}

func load(files fs.FS) (map[string]asset, error) {
	assets := map[string]asset{}
	err := fs.WalkDir(files, ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		body, err := fs.ReadFile(files, name)
		if err != nil {
			return fmt.Errorf("read %s: %w", name, err)
		}
		sum := sha256.Sum256(body)
		assets["/"+name] = asset{body: body, mimeType: mimeOf(name), etag: `"` + hex.EncodeToString(sum[:12]) + `"`}
		return nil
	})
	if page, ok := assets["/index.html"]; ok {
		assets["/"] = page
	}
	return assets, err
}

// mimeOf does not trust the machine's own table: a wrong type for a module is a page
// that stays blank.
func mimeOf(name string) string {
	switch path.Ext(name) {
	case ".html":
		return "text/html; charset=utf-8"
	case ".js":
		return "text/javascript; charset=utf-8"
	case ".css":
		return "text/css; charset=utf-8"
	case ".svg":
		return "image/svg+xml"
	}
	if t := mime.TypeByExtension(path.Ext(name)); t != "" {
		return t
	}
	return "application/octet-stream"
}

func serve(w http.ResponseWriter, r *http.Request, assets map[string]asset) {
	h := w.Header()
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		h.Set("Allow", "GET, HEAD")
		problem(w, http.StatusMethodNotAllowed, "method_not_allowed", "The page can only be read.")
		return
	}
	a, ok := assets[r.URL.Path]
	if !ok {
		problem(w, http.StatusNotFound, "not_found", "There is nothing at this address.")
		return
	}
	h.Set("Content-Type", a.mimeType)
	h.Set("ETag", a.etag)
	// Always asked again, hardly ever sent again: an update of the server is seen at
	// the next load, and files of two versions never meet.
	h.Set("Cache-Control", "no-cache")
	h.Set("Content-Security-Policy", contentSecurityPolicy)
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("Cross-Origin-Opener-Policy", "same-origin")
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
	if matches(r.Header.Get("If-None-Match"), a.etag) {
		w.WriteHeader(http.StatusNotModified)
		return
	}
	h.Set("Content-Length", strconv.Itoa(len(a.body)))
	w.WriteHeader(http.StatusOK)
	if r.Method == http.MethodGet {
		_, _ = w.Write(a.body) // a reader that went away is its own affair
	}
}

func matches(header, etag string) bool {
	for candidate := range strings.SplitSeq(header, ",") {
		candidate = strings.TrimPrefix(strings.TrimSpace(candidate), "W/")
		if candidate == etag || candidate == "*" {
			return true
		}
	}
	return false
}

func problem(w http.ResponseWriter, status int, code, detail string) {
	w.Header().Set("Content-Type", "application/problem+json")
	w.WriteHeader(status)
	_, _ = fmt.Fprintf(w, `{"type":"about:blank","title":%q,"status":%d,"code":%q,"detail":%q,"request_id":%q,"retryable":false,"outcome":"not_applied"}`+"\n",
		http.StatusText(status), status, code, detail, w.Header().Get("X-Request-ID"))
}
