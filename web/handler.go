package web

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"mime"
	"net/http"
	"path"
	"strconv"
	"strings"
	"sync"
)

// contentSecurityPolicy restricts the page to its own scripts and its own server: text of
// a model that was rendered as markup by mistake could neither run nor send data to other
// hosts. There are no inline scripts or styles, so no exception is needed.
const contentSecurityPolicy = "default-src 'none'; script-src 'self'; style-src 'self'; " +
	"img-src 'self' blob:; connect-src 'self'; manifest-src 'self'; worker-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

// docsPolicy is the policy of /docs, whose library has icons as data: URLs in its style
// sheet.
const docsPolicy = "default-src 'none'; script-src 'self'; style-src 'self'; " +
	"img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

// packedSuffix is the suffix of the brotli variants of files. They are compressed by the build, because
// brotli is slow.
const packedSuffix = ".br"

// asset is a file as served, with everything that can be computed once.
type asset struct {
	body     []byte
	brotli   []byte        // body in brotli, from the build; nil if there is none
	packed   func() []byte // body in gzip; nil if that is not smaller
	mimeType string
	policy   string
	etag     string
	// lasting: its name changes with its content, so browsers never need to revalidate it.
	lasting bool
}

// Handler serves the page: "/" and its files. Any other path is a 404 in the format of
// the API's errors; methods other than GET and HEAD are a 405.
func Handler() http.Handler {
	return handler(Files)
}

func handler(files fs.FS) http.Handler {
	assets, err := load(files)
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
		if err != nil || entry.IsDir() || strings.HasPrefix(entry.Name(), ".") || path.Ext(name) == packedSuffix {
			return err
		}
		body, err := fs.ReadFile(files, name)
		if err != nil {
			return fmt.Errorf("read %s: %w", name, err)
		}
		brotli, err := fs.ReadFile(files, name+packedSuffix)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("read %s in brotli: %w", name, err)
		}
		sum := sha256.Sum256(body)
		assets["/"+name] = asset{
			body: body, brotli: brotli, packed: sync.OnceValue(func() []byte { return pack(body) }), mimeType: mimeOf(name),
			policy: contentSecurityPolicy, etag: `"` + hex.EncodeToString(sum[:12]) + `"`, lasting: strings.HasPrefix(name, "assets/"),
		}
		return nil
	})
	if page, ok := assets["/index.html"]; ok {
		assets["/"] = page
	}
	if docs, ok := assets["/docs.html"]; ok {
		docs.policy = docsPolicy
		assets["/docs"] = docs
		delete(assets, "/docs.html")
	}
	return assets, err
}

// pack compresses a file on first use.
func pack(body []byte) []byte {
	var packed bytes.Buffer
	w, err := gzip.NewWriterLevel(&packed, gzip.BestCompression)
	if err != nil {
		panic(err) // the level is a constant
	}
	_, _ = w.Write(body) // into memory
	if err := w.Close(); err != nil || packed.Len() > len(body)*9/10 {
		return nil
	}
	return packed.Bytes()
}

// mimeOf does not rely on the machine's MIME table: with a wrong type for a module the
// page stays blank.
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
	case ".png":
		return "image/png"
	case ".webmanifest":
		return "application/manifest+json"
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
	// Revalidated at each load, so that an update of the server is loaded next time; hardly
	// ever sent again.
	h.Set("Cache-Control", "no-cache")
	if a.lasting {
		h.Set("Cache-Control", "public, max-age=31536000, immutable")
	}
	h.Set("Content-Security-Policy", a.policy)
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("Cross-Origin-Opener-Policy", "same-origin")
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
	if matches(r.Header.Get("If-None-Match"), a.etag) {
		w.WriteHeader(http.StatusNotModified)
		return
	}
	h.Set("Vary", "Accept-Encoding")
	body, coding := a.encoded(r.Header.Get("Accept-Encoding"))
	if coding != "" {
		h.Set("Content-Encoding", coding)
	}
	h.Set("Content-Length", strconv.Itoa(len(body)))
	w.WriteHeader(http.StatusOK)
	if r.Method == http.MethodGet {
		_, _ = w.Write(body) // the client may have disconnected
	}
}

// encoded returns the smallest body that the client accepts, and its encoding. Browsers accept
// brotli only over TLS and from localhost, because proxies have broken it.
func (a *asset) encoded(accepted string) (body []byte, coding string) {
	if a.brotli != nil && accepts(accepted, "br") {
		return a.brotli, "br"
	}
	if packed := a.packed(); packed != nil && accepts(accepted, "gzip") {
		return packed, "gzip"
	}
	return a.body, ""
}

func accepts(header, wanted string) bool {
	for coding := range strings.SplitSeq(header, ",") {
		name, weight, _ := strings.Cut(coding, ";")
		if strings.TrimSpace(name) == wanted {
			return strings.ReplaceAll(weight, " ", "") != "q=0"
		}
	}
	return false
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
	_, _ = fmt.Fprintf(
		w,
		`{"type":"about:blank","title":%q,"status":%d,"code":%q,"detail":%q,"request_id":%q,"retryable":false,"outcome":"not_applied"}`+"\n",
		http.StatusText(status),
		status,
		code,
		detail,
		w.Header().Get("X-Request-ID"),
	)
}
