package edge

import (
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"strconv"
	"strings"
	"sync"

	"github.com/klauspost/compress/gzip"
)

// packFrom is how long an answer is from which on it is worth being packed: a shorter one
// goes in one packet either way.
const packFrom = 1400

var newline = []byte{'\n'}

// send writes the bytes of an answer that is JSON.
func (s *Edge) send(w http.ResponseWriter, r *http.Request, status int, body []byte) {
	h := w.Header()
	h.Set("Content-Type", "application/json")
	if x := exchangeOf(r); x != nil && x.tagged && status == http.StatusOK {
		sum := sha256.Sum256(body)
		h.Set("ETag", `"`+hex.EncodeToString(sum[:12])+`"`)
	}
	// Responses to requests that change something are stored for repeats, so they are not compressed.
	if Safe(r.Method) && len(body) >= packFrom {
		h.Add("Vary", "Accept-Encoding")
		if TakesGzip(strings.Join(r.Header.Values("Accept-Encoding"), ",")) {
			h.Set("Content-Encoding", "gzip")
			w.WriteHeader(status)
			if r.Method != http.MethodHead {
				pack(w, body)
			}
			return
		}
	}
	if Safe(r.Method) {
		h.Set("Content-Length", strconv.Itoa(len(body)+len(newline)))
	}
	w.WriteHeader(status)
	if r.Method != http.MethodHead {
		_, _ = w.Write(body) // the client may have gone
		_, _ = w.Write(newline)
	}
}

// packers are writers to use again: each has tables of some 800 KiB.
var packers = sync.Pool{New: func() any {
	w, err := gzip.NewWriterLevel(nil, gzip.BestSpeed)
	if err != nil {
		panic(err) // the level is a constant
	}
	return w
}}

func pack(w http.ResponseWriter, body []byte) {
	packer := packers.Get().(*gzip.Writer)
	defer packers.Put(packer)
	packer.Reset(w)
	_, _ = packer.Write(body) // the client may have gone
	_, _ = packer.Write(newline)
	_ = packer.Close()
}

// Tagged adds an ETag of its content to a list, so that a client that has the list gets a 304.
func Tagged(next http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if x := exchangeOf(r); x != nil {
			x.tagged = true
		}
		next(w, r)
	}
}

func TakesGzip(header string) bool {
	for coding := range strings.SplitSeq(header, ",") {
		if name, weight, _ := strings.Cut(coding, ";"); strings.TrimSpace(name) == "gzip" {
			return strings.TrimRight(strings.ReplaceAll(weight, " ", ""), ".0") != "q="
		}
	}
	return false
}
