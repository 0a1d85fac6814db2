package edge

import (
	"net/http"
	"runtime"
)

// Large is what a body or a page is counted from: below it, counting costs more than it
// saves.
const Large = 64 << 10

// WorkAtOnce is how many large bodies or pages of one credential are computed at a time:
// the other cores stay for everybody else.
var WorkAtOnce = int64(max(1, runtime.GOMAXPROCS(0)/2))

// RoomForWork waits until the credential may compute on something large: reading a body or
// writing a page of many bytes keeps a core busy.
func (s *Edge) RoomForWork(w http.ResponseWriter, r *http.Request) (*Hold, error) {
	who := Caller(r)
	if who == nil {
		return nil, nil // a webhook's body is no large one
	}
	return s.RoomFor(w, r, 1, []Account{OfKey("work", who, WorkAtOnce)})
}
