package handlers

import (
	"net/http"
	"strconv"
	"sync"
	"time"

	"github.com/fermata-dev/fermata/auth"
	"github.com/fermata-dev/fermata/domain"
)

// comeAgain is when a listener may try again who found too many streams open.
const comeAgain = 10 * time.Second

// tally counts the streams that are open, by key and by address.
type tally struct {
	mu   sync.Mutex
	open map[string]int
}

// ceiling is how many streams name may have open; what is who that is, for people.
type ceiling struct {
	name, what string
	most       int
}

// enter counts a stream in. Where one of the ceilings is reached, it counts nothing and
// says which.
func (t *tally) enter(ceilings []ceiling) *ceiling {
	t.mu.Lock()
	defer t.mu.Unlock()
	for i, c := range ceilings {
		if t.open[c.name] >= c.most {
			return &ceilings[i]
		}
	}
	for _, c := range ceilings {
		t.open[c.name]++
	}
	return nil
}

func (t *tally) leave(ceilings []ceiling) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, c := range ceilings {
		if t.open[c.name]--; t.open[c.name] <= 0 {
			delete(t.open, c.name)
		}
	}
}

// count is how many keys and addresses have an open stream.
func (t *tally) count() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return len(t.open)
}

// ceilings are those of a stream's caller: his address, and his key if he has one of a
// workspace. The root key and the open server on loopback have only the address.
func (s *edge) ceilings(r *http.Request) []ceiling {
	all := []ceiling{{"address " + limitKey(r), "this address", s.limits.StreamsPerAddress}}
	if who := caller(r); who.Name != auth.NameRoot && who.Name != auth.NameLocal {
		all = append(all, ceiling{"key " + who.Name, "this key", s.limits.StreamsPerKey})
	}
	return all
}

func tooManyStreams(w http.ResponseWriter, c *ceiling) error {
	w.Header().Set("Retry-After", strconv.Itoa(int(comeAgain/time.Second)))
	return domain.Errorf(CodeTooManyStreams, "%d event streams of %s are open, as many as may be. "+
		"Close some, or follow several sessions on one stream: GET /v1/events/stream?sessions=….", c.most, c.what)
}
