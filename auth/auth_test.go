package auth

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/fermata-dev/fermata/domain"
)

// stores are keys and workspaces in memory, with a clock that stands still.
type stores struct {
	keys  map[string]*domain.Key
	now   time.Time
	looks int
}

func (s *stores) KeyByHash(_ context.Context, hash string) (*domain.Key, error) {
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

func (s *stores) mint(ws string, role domain.Role) (text string, key *domain.Key) {
	text, prefix, hash := Mint()
	key = &domain.Key{ID: "key_" + prefix, WorkspaceID: ws, Role: role, Prefix: prefix, Hash: hash}
	s.keys[hash] = key
	return text, key
}

func setUp(t *testing.T, root string, loopback bool) (*Authenticator, *stores) {
	t.Helper()
	s := &stores{keys: map[string]*domain.Key{}, now: time.Unix(1_800_000_000, 0)}
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
		in      = "" // let in
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

// A revoked key is remembered for five seconds at most, and not at all where it was
// revoked; a stream that asks again is told so too.
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
		t.Errorf("revoked here, and still let in: %v", err)
	}
}

// The first key closes the open door, also for streams that came in through it.
func TestFirstKeyClosesTheDoor(t *testing.T) {
	a, s := setUp(t, "", true)
	id, err := a.Authenticate(request("localhost", "", ""))
	if err != nil {
		t.Fatal(err)
	}
	if err := a.Still(t.Context(), id); err != nil {
		t.Errorf("still open: %v", err)
	}
	s.mint("default", domain.RoleAdmin)
	a.Changed()
	if _, err := a.Authenticate(request("localhost", "", "")); domain.ErrorCode(err) != domain.CodeUnauthenticated {
		t.Errorf("got %v", err)
	}
	if err := a.Still(t.Context(), id); domain.ErrorCode(err) != domain.CodeUnauthenticated {
		t.Errorf("got %v", err)
	}
}

func TestStart(t *testing.T) {
	if _, err := New(Config{RootKey: "short"}); err == nil || strings.Contains(err.Error(), "short\"") {
		t.Errorf("a short root key: %v", err)
	}
	for name, c := range map[string]struct {
		root              string
		loopback, withKey bool
		starts            bool
	}{
		"loopback":             {loopback: true, starts: true},
		"network":              {},
		"network, root":        {root: rootKey, starts: true},
		"network, a key there": {withKey: true, starts: true},
	} {
		a, s := setUp(t, c.root, c.loopback)
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
type kept map[string]domain.Ticket

func (k kept) InsertTicket(_ context.Context, t *domain.Ticket) error {
	k[t.Hash] = *t
	return nil
}

func (k kept) TakeTicket(_ context.Context, hash string) (*domain.Ticket, error) {
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
	if err != nil || *id != *who {
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

func TestLoopbackNames(t *testing.T) {
	for host, want := range map[string]bool{
		"localhost": true, "LOCALHOST:80": true, "localhost.": true, "app.localhost": true, "127.0.0.1": true,
		"127.9.9.9:1": true, "[::1]": true, "[::1]:80": true, "[::ffff:127.0.0.1]:80": true, "::1": true,
		"": false, "0.0.0.0": false, "10.0.0.1": false, "notlocalhost": false, "127.0.0.1.evil.example": false, "[::2]:80": false,
	} {
		if LoopbackHost(host) != want {
			t.Errorf("%q: %v", host, !want)
		}
	}
}

func TestProxies(t *testing.T) {
	a, _ := setUp(t, "", true)
	for _, header := range []string{"", "Forwarded", "X-Forwarded-For", "X-Real-IP", "Via"} {
		r := request("localhost:8080", "", "")
		r.RemoteAddr = "127.0.0.1:40000"
		if header != "" {
			r.Header.Set(header, "203.0.113.9")
		}
		direct := header == ""
		if _, err := a.Authenticate(r); (err == nil) != direct {
			t.Errorf("%q at the open door: %v", header, err)
		}
		if LoopbackPeer(r) != direct {
			t.Errorf("%q: a peer on this machine: %v", header, !direct)
		}
	}
	for remote, host := range map[string]string{"203.0.113.9:1": "localhost", "127.0.0.1:1": "fermata.example", "garbage": "localhost"} {
		r := request(host, "", "")
		if r.RemoteAddr = remote; LoopbackPeer(r) {
			t.Errorf("%s as %s is no peer on this machine", remote, host)
		}
	}
}

// Every request asks this.
func BenchmarkAuthenticate(b *testing.B) {
	s := &stores{keys: map[string]*domain.Key{}}
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
