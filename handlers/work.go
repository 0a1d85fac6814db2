package handlers

import (
	"net/http"
	"runtime"
)

const (
	// large is what a body or a page is counted from: below it, counting costs more than it
	// saves.
	large = 64 << 10
	// maxBodiesByKey is what the large bodies of one credential may hold in memory together,
	// from the first byte to the answer.
	maxBodiesByKey = 8 << 20
)

// workAtOnce is how many large bodies or pages of one credential are computed at a time:
// the other cores stay for everybody else.
var workAtOnce = int64(max(1, runtime.GOMAXPROCS(0)/2))

// roomForBody waits until there is room for the body of a request; nil where it is small.
func (s *edge) roomForBody(w http.ResponseWriter, r *http.Request) (*hold, error) {
	bytes := r.ContentLength
	if bytes < 0 {
		bytes = bodyLimit(r) // it does not say
	}
	if bytes < large {
		return nil, nil
	}
	of := []account{{"bodies of key " + caller(r).Name, maxBodiesByKey}}
	if r.URL.Path == filesPath || fileDoors[r.URL.Path] {
		of = append(of, account{"uploads", maxUploads})
	}
	return s.roomFor(w, r, min(bytes, bodyLimit(r)), of)
}

// roomForWork waits until the credential may compute on something large: reading a body or
// writing a page of many bytes keeps a core busy.
func (s *edge) roomForWork(w http.ResponseWriter, r *http.Request) (*hold, error) {
	who := caller(r)
	if who == nil {
		return nil, nil // a webhook's body is no large one
	}
	return s.roomFor(w, r, 1, []account{{"work of key " + who.Name, workAtOnce}})
}
