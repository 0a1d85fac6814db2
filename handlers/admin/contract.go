package admin

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"net/http"
	"strings"
	"sync"

	"go.yaml.in/yaml/v3"

	"github.com/fermata-dev/fermata"
	"github.com/fermata-dev/fermata/handlers/edge"
)

// contractFile is openapi.yaml in one of its forms, rendered once, on first use.
type contractFile struct {
	mimeType, etag string
	plain, packed  []byte
}

var (
	contractYAML = sync.OnceValue(func() *contractFile { return newContractFile("application/yaml", fermata.OpenAPI) })
	contractJSON = sync.OnceValue(func() *contractFile { return newContractFile("application/json", asJSON(fermata.OpenAPI)) })
)

func newContractFile(mimeType string, body []byte) *contractFile {
	var packed bytes.Buffer
	w := gzip.NewWriter(&packed)
	_, _ = w.Write(body) // into memory
	_ = w.Close()
	sum := sha256.Sum256(body)
	return &contractFile{mimeType: mimeType, etag: `"` + hex.EncodeToString(sum[:12]) + `"`, plain: body, packed: packed.Bytes()}
}

// asJSON has no error to give: the contract is part of the program, and a test reads it.
func asJSON(text []byte) []byte {
	var doc any
	if err := yaml.Unmarshal(text, &doc); err != nil {
		panic("openapi.yaml: " + err.Error())
	}
	body, err := json.Marshal(doc)
	if err != nil {
		panic("openapi.yaml as JSON: " + err.Error())
	}
	return append(body, '\n')
}

func (s *Handlers) GetContract(w http.ResponseWriter, r *http.Request) {
	contractYAML().serve(w, r)
}
func (s *Handlers) GetContractAsJSON(w http.ResponseWriter, r *http.Request) {
	contractJSON().serve(w, r)
}

// serve answers with the file, which any web page may read, and which hardly ever changes.
func (f *contractFile) serve(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	h.Set("Access-Control-Allow-Origin", "*")
	h.Set("ETag", f.etag)
	h.Set("Cache-Control", "public, max-age=300")
	h.Add("Vary", "Accept-Encoding")
	for tag := range strings.SplitSeq(r.Header.Get("If-None-Match"), ",") {
		if tag = strings.TrimPrefix(strings.TrimSpace(tag), "W/"); tag == f.etag || tag == "*" {
			w.WriteHeader(http.StatusNotModified)
			return
		}
	}
	h.Set("Content-Type", f.mimeType)
	body := f.plain
	if edge.TakesGzip(r.Header.Get("Accept-Encoding")) {
		h.Set("Content-Encoding", "gzip")
		body = f.packed
	}
	w.WriteHeader(http.StatusOK)
	if r.Method != http.MethodHead {
		_, _ = w.Write(body) // the client may have gone
	}
}
