package handlers

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
	// pageRoom is what a list takes in memory while it is read: the rows, and their JSON.
	pageRoom = 2 * domain.PageBytes
	// Limits in bytes for responses that have not been read, per credential and per workspace. A client that does
	// not read delays itself, then its workspace, and no other workspace.
	maxHeldByKey       = 64 << 20
	maxHeldByWorkspace = 128 << 20
	// Exports are read for as long as they take, a page in memory at a time: so many of a
	// credential, and of a workspace, go on at the same time.
	exportsByKey       = 4
	exportsByWorkspace = 8
	// waitForRoom is how long a request waits for answers before it to be read.
	waitForRoom = 3 * time.Second
	// smallAnswer is not counted: the connection's own buffers hold as much.
	smallAnswer = 16 << 10
)

// Whose an account is, in the words of a refusal.
const (
	thisKey       = "this key"
	thisWorkspace = "this workspace"
	thisAddress   = "this address"
)

func ofKey(what string, who *auth.Identity, limit int64) account {
	return account{name: what + " of key " + who.Name, limit: limit, whose: thisKey}
}

func ofWorkspace(what string, who *auth.Identity, limit int64) account {
	return account{name: what + " of workspace " + who.Workspace, limit: limit, whose: thisWorkspace}
}

// isOperator reports whether the caller is the operator, with the root key or on the open server. The limits of the
// workspace do not apply to them.
func isOperator(who *auth.Identity) bool {
	return who.Name == auth.NameRoot || who.Name == auth.NameLocal
}

// accountsOf are two accounts, of a caller and of their workspace.
func accountsOf(what string, who *auth.Identity, byKey, byWorkspace int64) []account {
	if isOperator(who) {
		return []account{ofKey(what, who, byWorkspace)}
	}
	return []account{ofKey(what, who, byKey), ofWorkspace(what, who, byWorkspace)}
}

// accounts returns the accounts for the response to this request; none without credentials.
func accounts(r *http.Request) []account {
	who := caller(r)
	if who == nil {
		return nil
	}
	return accountsOf("answers", who, maxHeldByKey, maxHeldByWorkspace)
}

// exportAccounts are what an export counts for.
func exportAccounts(r *http.Request) []account {
	return accountsOf("exports", caller(r), exportsByKey*pageRoom, exportsByWorkspace*pageRoom)
}

// roomFor waits until there is room for an answer of so many bytes.
func (s *edge) roomFor(w http.ResponseWriter, r *http.Request, bytes int64, of []account) (*hold, error) {
	h := &hold{ledger: s.unread, accounts: of}
	if full := s.unread.claim(r.Context(), h, bytes, waitForRoom); full != nil {
		return nil, noRoom(w, full)
	}
	return h, nil
}

// noRoom is the refusal where an account is used up. It names whose it is: who did not use it up need not
// look for what they did.
func noRoom(w http.ResponseWriter, full *account) error {
	seconds := int(waitForRoom / time.Second)
	w.Header().Set("Retry-After", strconv.Itoa(seconds))
	if full.whose == "" {
		return domain.Errorf(CodeRateLimited, "The server has no room for another large request at the moment, because of others' requests. "+
			"Send yours again in %d s.", seconds)
	}
	return domain.Errorf(CodeRateLimited, "Too much of %s is under way: large requests, or answers that have not been read. "+
		"Read them, or break them off, and send the request again in %d s.", full.whose, seconds)
}

// lister is the part of edge that a list needs: a function with types of its own cannot be
// a method.
type lister interface {
	roomFor(w http.ResponseWriter, r *http.Request, bytes int64, of []account) (*hold, error)
	roomForWork(w http.ResponseWriter, r *http.Request) (*hold, error)
	send(w http.ResponseWriter, r *http.Request, status int, body []byte)
	fail(w http.ResponseWriter, r *http.Request, err error)
}

// writeList answers with one page of a list: as many items as the limit says, or as
// there is room for in domain.PageBytes of JSON, and always one. It is the only way in
// which a list is written. read gives a page of at most limit items with the cursor of
// the next one.
func writeList[D, A any](
	s lister, w http.ResponseWriter, r *http.Request, limit int, to func(D) A, read func(limit int) ([]D, string, error),
) {
	room, err := s.roomFor(w, r, pageRoom, accounts(r))
	if err != nil {
		s.fail(w, r, err)
		return
	}
	defer room.release()
	body, err := encodePage(limit, to, read, func() (*hold, error) { return s.roomForWork(w, r) })
	if err != nil {
		s.fail(w, r, err)
		return
	}
	room.resize(int64(len(body)))
	s.send(w, r, http.StatusOK, body)
}

// encodePage makes the JSON of a page. Where it grows too long, the page is read again
// with as many items as fit: so its cursor is the right one. A large page waits
// until there is room for the work.
func encodePage[D, A any](
	limit int, to func(D) A, read func(limit int) ([]D, string, error), work func() (*hold, error),
) ([]byte, error) {
	var taken *hold
	defer func() { taken.release() }()
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
			if taken == nil && body.Len()+len(one) > large {
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

// pointed gives the mappers of items what they take.
func pointed[T any](items []T, next string, err error) ([]*T, string, error) {
	return pointers(items), next, err
}

// pointers gives the mappers what they take.
func pointers[T any](items []T) []*T {
	out := make([]*T, 0, len(items))
	for i := range items {
		out = append(out, &items[i])
	}
	return out
}
