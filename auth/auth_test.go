package auth

import (
	"context"
	"net/http"
	"net/http/httptest"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/domain/people"
)

// stores are keys and workspaces in memory, with a clock that stands still.
type stores struct {
	keys  map[string]*people.Key
	now   time.Time
	looks int
}

func (s *stores) KeyByHash(_ context.Context, hash string) (*people.Key, error) {
	s.looks++
	if k := s.keys[hash]; k != nil {
		return k, nil
	}
	return nil, domain.NotFound("key")
}

func (s *stores) AnyKey(context.Context) (bool, error) { return len(s.keys) > 0, nil }

func (s *stores) Workspace(_ context.Context, id string) (*domain.Workspace, error) {
	if id == "default" || id == "acme" {
		return &domain.Workspace{ID: id}, nil
	}
	return nil, domain.NotFound("workspace")
}

func (s *stores) mint(ws string, role domain.Role) (text string, key *people.Key) {
	text, prefix, hash := Mint()
	key = &people.Key{ID: "key_" + prefix, WorkspaceID: ws, Role: role, Prefix: prefix, Hash: hash}
	s.keys[hash] = key
	return text, key
}

func setUp(t *testing.T, root string, loopback bool) (*Authenticator, *stores) {
	t.Helper()
	s := &stores{keys: map[string]*people.Key{}, now: time.Unix(1_800_000_000, 0)}
	a, err := New(Config{RootKey: root, Loopback: loopback, Keys: s, Workspaces: s, Clock: func() time.Time { return s.now }})
	if err != nil {
		t.Fatal(err)
	}
	return a, s
}

func request(host, authorization, workspace string) *http.Request {
	r := httptest.NewRequest(http.MethodGet, "http://"+host+"/v1/sessions", nil)
	if authorization != "" {
		r.Header.Set("Authorization", authorization)
	}
	if workspace != "" {
		r.Header.Set(WorkspaceHeader, workspace)
	}
	return r
}

const rootKey = "0123456789abcdef0123456789abcdef"

func TestWhoMayCome(t *testing.T) {
	const (
		in      = "" // admitted
		unauth  = string(domain.CodeUnauthenticated)
		denied  = string(domain.CodeForbidden)
		unknown = string(domain.CodeNotFound)
	)
	for name, c := range map[string]struct {
		root          string
		network       bool
		withKey       bool
		host          string
		authorization string // KEY stands for the key of acme
		workspace     string
		want          string
		identity      string
	}{
		"open door":                         {host: "localhost:8080", want: in, identity: "default root local"},
		"open door by address":              {host: "127.0.0.1:8080", want: in, identity: "default root local"},
		"open door by IPv6":                 {host: "[::1]:8080", want: in, identity: "default root local"},
		"open door, other workspace":        {host: "localhost", workspace: "acme", want: in, identity: "acme root local"},
		"open door, unknown workspace":      {host: "localhost", workspace: "none", want: unknown},
		"open door, rebound name":           {host: "evil.example:8080", want: denied},
		"open door, name that looks local":  {host: "localhost.evil.example", want: denied},
		"open door, a key that is none":     {host: "localhost", authorization: "Bearer nonsense", want: unauth},
		"closed by a root key":              {root: rootKey, host: "localhost", want: unauth},
		"closed by a key":                   {withKey: true, host: "localhost", want: unauth},
		"never open to the network":         {network: true, host: "localhost", want: unauth},
		"root":                              {root: rootKey, network: true, host: "api.example", authorization: "Bearer " + rootKey, want: in, identity: "default root root"},
		"root chooses":                      {root: rootKey, host: "api.example", authorization: "bearer " + rootKey, workspace: "acme", want: in, identity: "acme root root"},
		"root, unknown workspace":           {root: rootKey, host: "api.example", authorization: "Bearer " + rootKey, workspace: "none", want: unknown},
		"nearly root":                       {root: rootKey, host: "api.example", authorization: "Bearer " + rootKey[1:], want: unauth},
		"root with more":                    {root: rootKey, host: "api.example", authorization: "Bearer " + rootKey + "0", want: unauth},
		"key":                               {withKey: true, network: true, host: "api.example", authorization: "Bearer KEY", want: in, identity: "acme member key"},
		"key under its own name":            {withKey: true, host: "api.example", authorization: "Bearer KEY", workspace: "acme", want: in, identity: "acme member key"},
		"key for another workspace":         {withKey: true, host: "api.example", authorization: "Bearer KEY", workspace: "default", want: denied},
		"key for an unknown workspace":      {withKey: true, host: "api.example", authorization: "Bearer KEY", workspace: "none", want: denied},
		"key with one character changed":    {withKey: true, host: "api.example", authorization: "Bearer KEYx", want: unauth},
		"another way to send it":            {withKey: true, host: "api.example", authorization: "Basic KEY", want: unauth},
		"nothing behind Bearer":             {withKey: true, host: "api.example", authorization: "Bearer ", want: unauth},
		"bad credentials do not fall back":  {host: "localhost", authorization: "Basic abc", want: unauth},
		"an unknown key of the right shape": {host: "localhost", authorization: "Bearer OTHER", want: unauth},
	} {
		t.Run(name, func(t *testing.T) {
			a, s := setUp(t, c.root, !c.network)
			if c.withKey {
				text, _ := s.mint("acme", domain.RoleMember)
				c.authorization = strings.ReplaceAll(c.authorization, "KEY", text)
			}
			other, _, _ := Mint()
			c.authorization = strings.ReplaceAll(c.authorization, "OTHER", other)
			id, err := a.Authenticate(request(c.host, c.authorization, c.workspace))
			if c.want != in {
				if err == nil || string(domain.ErrorCode(err)) != c.want {
					t.Fatalf("got %+v, %v; want %s", id, err, c.want)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			got := id.Workspace + " " + string(id.Role) + " " + strings.SplitN(id.Name, "_", 2)[0]
			if got != c.identity {
				t.Errorf("got %q, want %q", got, c.identity)
			}
		})
	}
}

// TestRevokedKey verifies that a revoked key is cached for at most five seconds, and not at all on the node that
// revoked it; a stream that checks its key again is rejected too.
func TestRevokedKey(t *testing.T) {
	a, s := setUp(t, "", true)
	text, key := s.mint("acme", domain.RoleViewer)
	come := func() (*Identity, error) { return a.Authenticate(request("h", "Bearer "+text, "")) }
	id, err := come()
	if err != nil {
		t.Fatal(err)
	}
	revoked := *key
	revoked.RevokedAt = &s.now
	s.keys[key.Hash] = &revoked
	looks := s.looks
	if _, err := come(); err != nil || s.looks != looks {
		t.Fatalf("was looked up again: %v", err)
	}
	s.now = s.now.Add(5 * time.Second)
	if _, err := come(); domain.ErrorCode(err) != domain.CodeUnauthenticated {
		t.Errorf("a revoked key: %v", err)
	}
	if err := a.Still(t.Context(), id); domain.ErrorCode(err) != domain.CodeUnauthenticated {
		t.Errorf("a revoked key on a stream: %v", err)
	}

	text, key = s.mint("acme", domain.RoleViewer)
	if _, err := come(); err != nil {
		t.Fatal(err)
	}
	delete(s.keys, key.Hash)
	a.Changed()
	if _, err := come(); domain.ErrorCode(err) != domain.CodeUnauthenticated {
		t.Errorf("revoked here, and still accepted: %v", err)
	}
}

// The first key closes the open door for good, also for streams and tickets that came in
// through it.
func TestFirstKeyClosesTheDoor(t *testing.T) {
	a, s := setUp(t, "", true)
	id, err := a.Authenticate(request("localhost", "", ""))
	if err != nil {
		t.Fatal(err)
	}
	if err := a.Redeemed(request("localhost", "", ""), id); err != nil {
		t.Errorf("still open: %v", err)
	}
	if err := a.Redeemed(request("evil.example", "", ""), id); domain.ErrorCode(err) != domain.CodeForbidden {
		t.Errorf("its ticket under another name: %v", err)
	}
	_, key := s.mint("default", domain.RoleAdmin)
	a.Changed()
	closed := func(when string) {
		t.Helper()
		if _, err := a.Authenticate(request("localhost", "", "")); domain.ErrorCode(err) != domain.CodeUnauthenticated {
			t.Errorf("%s: %v", when, err)
		}
		if err := a.Redeemed(request("localhost", "", ""), id); domain.ErrorCode(err) != domain.CodeUnauthenticated {
			t.Errorf("%s, who is in: %v", when, err)
		}
	}
	closed("a key was made")
	key.RevokedAt = &s.now
	a.Changed()
	closed("the key was revoked")
	s.keys = nil // nothing does this; the fact stays all the same
	a.Changed()
	closed("the key is gone")
}

// TestAnotherNodeMakesTheFirstKey verifies that the first key made by another node closes this node at the very
// next request. Where no other node can make keys, an open server need not check each time.
func TestAnotherNodeMakesTheFirstKey(t *testing.T) {
	for _, nodes := range []bool{true, false} {
		s := &stores{keys: map[string]*people.Key{}, now: time.Unix(1_800_000_000, 0)}
		a, err := New(Config{Loopback: true, Nodes: nodes, Keys: s, Workspaces: s, Clock: func() time.Time { return s.now }})
		if err != nil {
			t.Fatal(err)
		}
		come := func() error { _, err := a.Authenticate(request("localhost", "", "")); return err }
		if err := come(); err != nil {
			t.Fatal(err)
		}
		s.mint("default", domain.RoleAdmin)
		if err := come(); (err != nil) != nodes {
			t.Errorf("with other nodes %v: %v", nodes, err)
		}
	}
}

// What asks at each request out does not look each time; another node's first key is seen
// as late as its revoking of one would be, and one of this process at once.
func TestOpenCached(t *testing.T) {
	s := &stores{keys: map[string]*people.Key{}, now: time.Unix(1_800_000_000, 0)}
	a, err := New(Config{Loopback: true, Nodes: true, Keys: s, Workspaces: s, Clock: func() time.Time { return s.now }})
	if err != nil {
		t.Fatal(err)
	}
	if !a.OpenCached(t.Context()) {
		t.Error("a fresh server is not open")
	}
	_, key := s.mint("default", domain.RoleAdmin)
	s.now = s.now.Add(cacheTTL - time.Millisecond)
	if !a.OpenCached(t.Context()) {
		t.Error("it looked again within five seconds")
	}
	if open, err := a.Open(t.Context()); open || err != nil {
		t.Errorf("the check for an open server answers from the cache: %v %v", open, err)
	}
	key.RevokedAt = &s.now
	if a.OpenCached(t.Context()) {
		t.Error("open again after a key was made")
	}

	s = &stores{keys: map[string]*people.Key{}, now: s.now}
	if a, err = New(Config{Loopback: true, Nodes: true, Keys: s, Workspaces: s, Clock: func() time.Time { return s.now }}); err != nil {
		t.Fatal(err)
	}
	for _, step := range []struct {
		does func()
		open bool
	}{
		{func() {}, true},
		{func() { s.mint("default", domain.RoleAdmin); a.Changed() }, false},
	} {
		step.does()
		if open := a.OpenCached(t.Context()); open != step.open {
			t.Errorf("open: %v, should be %v", open, step.open)
		}
	}
}

// TestExpiredKey verifies that an expired key is rejected from that instant on, regardless of the cache, and that
// its streams end. The error states that the key has expired.
func TestExpiredKey(t *testing.T) {
	a, s := setUp(t, "", true)
	text, key := s.mint("acme", domain.RoleViewer)
	key.ExpiresAt = new(s.now.Add(time.Second))
	id, err := a.Authenticate(request("h", "Bearer "+text, ""))
	if err != nil {
		t.Fatal(err)
	}
	s.now = s.now.Add(time.Second)
	_, err = a.Authenticate(request("h", "Bearer "+text, ""))
	if domain.ErrorCode(err) != domain.CodeUnauthenticated || !strings.Contains(err.Error(), "expired on 15 January 2027 at 08:00 UTC") {
		t.Errorf("an expired key: %v", err)
	}
	if err := a.Still(t.Context(), id); domain.ErrorCode(err) != domain.CodeUnauthenticated {
		t.Errorf("an expired key on a stream: %v", err)
	}
}

func TestStart(t *testing.T) {
	for name, c := range map[string]struct {
		root                      string
		loopback, public, withKey bool
		starts                    bool
	}{
		"loopback":                         {loopback: true, starts: true},
		"loopback, public URL":             {loopback: true, public: true},
		"loopback, public URL, root":       {loopback: true, public: true, root: rootKey, starts: true},
		"loopback, public URL, key there":  {loopback: true, public: true, withKey: true, starts: true},
		"network":                          {},
		"network, root":                    {root: rootKey, starts: true},
		"network, a key there":             {withKey: true, starts: true},
		"network, public URL of no matter": {public: true},
	} {
		a, s := setUp(t, c.root, c.loopback)
		a.config.Public = c.public
		if c.withKey {
			s.mint("default", domain.RoleAdmin)
		}
		if err := a.CheckStart(t.Context()); (err == nil) != c.starts {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestKeys(t *testing.T) {
	seen := map[string]bool{}
	for range 200 {
		key, prefix, hash := Mint()
		if got, err := Parse(key); err != nil || got != prefix {
			t.Fatalf("%s: %q, %v", key, got, err)
		}
		if Hash(key) != hash || strings.Contains(hash, key[len(prefix):]) || seen[key] || seen[prefix] {
			t.Fatalf("%s is not a good key", key)
		}
		seen[key], seen[prefix] = true, true
	}
	key, _, _ := Mint()
	for _, bad := range []string{"", "fmt_", "fmt_a_b", key[1:], key + "0", key[:len(key)-1], strings.Replace(key, "fmt", "FMT", 1), key[:len(key)-1] + "é", key[:20] + "_" + key[21:]} {
		if _, err := Parse(bad); err == nil {
			t.Errorf("%q was taken for a key", bad)
		}
	}
}

// kept is a store of tickets.
type kept map[string]people.Ticket

func (k kept) InsertTicket(_ context.Context, t *people.Ticket) error {
	k[t.Hash] = *t
	return nil
}

func (k kept) TakeTicket(_ context.Context, hash string) (*people.Ticket, error) {
	t, ok := k[hash]
	delete(k, hash)
	if !ok {
		return nil, nil
	}
	return &t, nil
}

func TestTickets(t *testing.T) {
	now, ctx, store := time.Unix(1_800_000_000, 0), t.Context(), kept{}
	here := NewTickets(func() time.Time { return now }, store)
	there := NewTickets(func() time.Time { return now }, store) // another node
	who := &Identity{Workspace: "acme", Role: domain.RoleViewer, Name: "key_1", hash: [32]byte{1}}
	text, expires, err := here.Issue(ctx, who)
	if err != nil || !expires.Equal(now.Add(time.Minute)) {
		t.Fatal(expires, err)
	}
	for hash := range store {
		if strings.Contains(text, hash) {
			t.Error("the ticket itself is kept")
		}
	}
	id, err := there.Redeem(ctx, text)
	if err != nil || !reflect.DeepEqual(id, who) {
		t.Fatalf("got %+v, %v", id, err)
	}
	if _, err := here.Redeem(ctx, text); domain.ErrorCode(err) != domain.CodeUnauthenticated {
		t.Errorf("a second time: %v", err)
	}
	late, _, err := here.Issue(ctx, who)
	if err != nil {
		t.Fatal(err)
	}
	now = now.Add(time.Minute)
	if _, err := here.Redeem(ctx, late); domain.ErrorCode(err) != domain.CodeUnauthenticated {
		t.Errorf("after a minute: %v", err)
	}
}

// Every request asks this.
func BenchmarkAuthenticate(b *testing.B) {
	s := &stores{keys: map[string]*people.Key{}}
	a, _ := New(Config{RootKey: rootKey, Keys: s, Workspaces: s})
	text, _ := s.mint("acme", domain.RoleMember)
	for name, token := range map[string]string{"root": rootKey, "key": text} {
		r := request("h", "Bearer "+token, "")
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := a.Authenticate(r); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
