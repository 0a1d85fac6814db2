package handlers

import (
	"net/http"
	"runtime"
)

// large is what a body or a page is counted from: below it, counting costs more than it
// saves.
const large = 64 << 10

// workAtOnce is how many large bodies or pages of one credential are computed at a time:
// the other cores stay for everybody else.
var workAtOnce = int64(max(1, runtime.GOMAXPROCS(0)/2))

// roomForWork waits until the credential may compute on something large: reading a body or
// writing a page of many bytes keeps a core busy.
func (s *edge) roomForWork(w http.ResponseWriter, r *http.Request) (*hold, error) {
	who := caller(r)
	if who == nil {
		return nil, nil // a webhook's body is no large one
	}
	return s.roomFor(w, r, 1, []account{ofKey("work", who, workAtOnce)})
}
