package edge

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

// Ceiling is how many streams name may have open; what is who that is, for people.
type Ceiling struct {
	name, what string
	most       int
}

// Enter counts a stream in. Where one of the ceilings is reached, it counts nothing and
// says which.
func (t *tally) Enter(ceilings []Ceiling) *Ceiling {
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

func (t *tally) Leave(ceilings []Ceiling) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, c := range ceilings {
		if t.open[c.name]--; t.open[c.name] <= 0 {
			delete(t.open, c.name)
		}
	}
}

// Count is how many keys and addresses have an open stream.
func (t *tally) Count() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return len(t.open)
}

// Ceilings are those of a stream's caller: his address, and his key if he has one of a
// workspace. The root key and the open server on loopback have only the address.
func (s *Edge) Ceilings(r *http.Request) []Ceiling {
	all := []Ceiling{{"address " + LimitKey(r), "this address", s.Limits.StreamsPerAddress}}
	if who := Caller(r); who.Name != auth.NameRoot && who.Name != auth.NameLocal {
		all = append(all, Ceiling{"key " + who.Name, "this key", s.Limits.StreamsPerKey})
	}
	return all
}

func TooManyStreams(w http.ResponseWriter, c *Ceiling) error {
	w.Header().Set("Retry-After", strconv.Itoa(int(comeAgain/time.Second)))
	return domain.Errorf(CodeTooManyStreams, "%d event streams of %s are open, as many as may be. "+
		"Close some, or follow several sessions on one stream: GET /v1/events/stream?sessions=….", c.most, c.what)
}
