package edge

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"time"

	"github.com/fermata-dev/fermata/auth"
	"github.com/fermata-dev/fermata/domain"
)

const (
	// PageRoom is what a list takes in memory while it is read: the rows, and their JSON.
	PageRoom = 2 * domain.PageBytes
	// Limits in bytes for responses that have not been read, per credential and per workspace. A client that does
	// not read delays itself, then its workspace, and no other workspace.
	MaxHeldByKey       = 64 << 20
	maxHeldByWorkspace = 128 << 20
	// Exports are read for as long as they take, a page in memory at a time: so many of a
	// credential, and of a workspace, go on at the same time.
	exportsByKey       = 4
	exportsByWorkspace = 8
	// waitForRoom is how long a request waits for answers before it to be read.
	waitForRoom = 3 * time.Second
	// SmallAnswer is not counted: the connection's own buffers hold as much.
	SmallAnswer = 16 << 10
)

// Whose an account is, in the words of a refusal.
const (
	thisKey       = "this key"
	thisWorkspace = "this workspace"
	thisAddress   = "this address"
)

func OfKey(what string, who *auth.Identity, limit int64) Account {
	return Account{Name: what + " of key " + who.Name, limit: limit, whose: thisKey}
}

func OfWorkspace(what string, who *auth.Identity, limit int64) Account {
	return Account{Name: what + " of workspace " + who.Workspace, limit: limit, whose: thisWorkspace}
}

// isOperator reports whether the caller is the operator, with the root key or on the open server. The limits of the
// workspace do not apply to them.
func isOperator(who *auth.Identity) bool {
	return who.Name == auth.NameRoot || who.Name == auth.NameLocal
}

// AccountsOf are two accounts, of a caller and of their workspace.
func AccountsOf(what string, who *auth.Identity, byKey, byWorkspace int64) []Account {
	if isOperator(who) {
		return []Account{OfKey(what, who, byWorkspace)}
	}
	return []Account{OfKey(what, who, byKey), OfWorkspace(what, who, byWorkspace)}
}

// Accounts returns the accounts for the response to this request; none without credentials.
func Accounts(r *http.Request) []Account {
	who := Caller(r)
	if who == nil {
		return nil
	}
	return AccountsOf("answers", who, MaxHeldByKey, maxHeldByWorkspace)
}

// ExportAccounts are what an export counts for.
func ExportAccounts(r *http.Request) []Account {
	return AccountsOf("exports", Caller(r), exportsByKey*PageRoom, exportsByWorkspace*PageRoom)
}

// RoomFor waits until there is room for an answer of so many bytes.
func (s *Edge) RoomFor(w http.ResponseWriter, r *http.Request, bytes int64, of []Account) (*Hold, error) {
	h := &Hold{ledger: s.Ledger, accounts: of}
	if full := s.Ledger.claim(r.Context(), h, bytes, waitForRoom); full != nil {
		return nil, noRoom(w, full)
	}
	return h, nil
}

// noRoom is the refusal where an account is used up. It names whose it is: who did not use it up need not
// look for what they did.
func noRoom(w http.ResponseWriter, full *Account) error {
	seconds := int(waitForRoom / time.Second)
	w.Header().Set("Retry-After", strconv.Itoa(seconds))
	if full.whose == "" {
		return domain.Errorf(codeRateLimited, "The server has no room for another large request at the moment, because of others' requests. "+
			"Send yours again in %d s.", seconds)
	}
	return domain.Errorf(codeRateLimited, "Too much of %s is under way: large requests, or answers that have not been read. "+
		"Read them, or break them off, and send the request again in %d s.", full.whose, seconds)
}

// lister is the part of edge that a list needs: a function with types of its own cannot be
// a method.
type lister interface {
	RoomFor(w http.ResponseWriter, r *http.Request, bytes int64, of []Account) (*Hold, error)
	RoomForWork(w http.ResponseWriter, r *http.Request) (*Hold, error)
	send(w http.ResponseWriter, r *http.Request, status int, body []byte)
	Fail(w http.ResponseWriter, r *http.Request, err error)
}

// WriteList answers with one page of a list: as many items as the limit says, or as
// there is room for in domain.PageBytes of JSON, and always one. It is the only way in
// which a list is written. read gives a page of at most limit items with the cursor of
// the next one.
func WriteList[D, A any](
	s lister, w http.ResponseWriter, r *http.Request, limit int, to func(D) A, read func(limit int) ([]D, string, error),
) {
	room, err := s.RoomFor(w, r, PageRoom, Accounts(r))
	if err != nil {
		s.Fail(w, r, err)
		return
	}
	defer room.Release()
	body, err := encodePage(limit, to, read, func() (*Hold, error) { return s.RoomForWork(w, r) })
	if err != nil {
		s.Fail(w, r, err)
		return
	}
	room.Resize(int64(len(body)))
	s.send(w, r, http.StatusOK, body)
}

// encodePage makes the JSON of a page. Where it grows too long, the page is read again
// with as many items as fit: so its cursor is the right one. A large page waits
// until there is room for the work.
func encodePage[D, A any](
	limit int, to func(D) A, read func(limit int) ([]D, string, error), work func() (*Hold, error),
) ([]byte, error) {
	var taken *Hold
	defer func() { taken.Release() }()
	for {
		items, next, err := read(limit)
		if err != nil {
			return nil, err
		}
		var body bytes.Buffer
		body.WriteString(`{"data":[`)
		fitted := 0
		for _, item := range items {
			one, err := json.Marshal(to(item))
			if err != nil {
				return nil, fmt.Errorf("encode the answer: %w", err)
			}
			if fitted > 0 && body.Len()+len(one) > domain.PageBytes-maxCursor {
				break
			}
			if taken == nil && body.Len()+len(one) > Large {
				if taken, err = work(); err != nil {
					return nil, err
				}
			}
			if fitted > 0 {
				body.WriteByte(',')
			}
			body.Write(one)
			fitted++
		}
		if fitted < len(items) {
			limit = fitted
			continue
		}
		cursor := []byte("null")
		if next != "" {
			cursor, _ = json.Marshal(next) // a string can be encoded
		}
		body.WriteString(`],"next_cursor":`)
		body.Write(cursor)
		body.WriteByte('}')
		return body.Bytes(), nil
	}
}

// maxCursor is more than the end of a page takes: its cursor has 500 bytes at most.
const maxCursor = 1 << 10

// Pointed gives the mappers of items what they take.
func Pointed[T any](items []T, next string, err error) ([]*T, string, error) {
	return Pointers(items), next, err
}

// Pointers gives the mappers what they take.
func Pointers[T any](items []T) []*T {
	out := make([]*T, 0, len(items))
	for i := range items {
		out = append(out, &items[i])
	}
	return out
}
