package events_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-chi/chi/v5"

	"github.com/fermata-dev/fermata/api"
	"github.com/fermata-dev/fermata/auth"
	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/domain/people"
	"github.com/fermata-dev/fermata/handlers/edgetest"
	"github.com/fermata-dev/fermata/handlers/events"
	"github.com/fermata-dev/fermata/handlers/servertest"
	"github.com/fermata-dev/fermata/internal/clock"
)

func TestStreamOfASession(t *testing.T) {
	e := edgetest.New(t, "", clock.System, nil)
	e.Store.Commit("ses_1", domain.LogSessionCreated)
	e.Broker.Delta("default", "ses_1", "msg_1", "text", "Hel")

	c := e.Listen(t, "/v1/sessions/ses_1/events")
	for name, want := range map[string]string{
		"Content-Type": "text/event-stream", "Cache-Control": "no-store, no-transform", "X-Accel-Buffering": "no",
		"Content-Encoding": "", "X-Content-Type-Options": "nosniff", "Access-Control-Allow-Origin": "",
	} {
		if got := c.Res.Header.Get(name); got != want {
			t.Errorf("%s is %q, want %q", name, got, want)
		}
	}
	var snapshot api.SessionSnapshotData
	if err := json.Unmarshal([]byte(c.Want("1:snapshot").Data), &snapshot); err != nil {
		t.Fatal(err)
	}
	if snapshot.Seq != 1 || snapshot.Session.ID != "ses_1" || snapshot.Partial == nil || snapshot.Partial.Text != "Hel" || snapshot.Partial.Offset != 3 {
		t.Errorf("snapshot %+v, partial %+v", snapshot, snapshot.Partial)
	}
	if c.Retry != "2000" {
		t.Errorf("retry %q", c.Retry)
	}
	c.Want("message.snapshot")
	e.Broker.Delta("default", "ses_1", "msg_1", "text", "lo")
	if ev := c.Want("message.delta"); !strings.Contains(ev.Data, `"offset":3,"text":"lo"`) {
		t.Errorf("delta %s", ev.Data)
	}
	e.Broker.Discard("default", "ses_1", "msg_1", "network")
	c.Want("message.discarded")
	if c.LastID != "1" {
		t.Errorf("what has no number moved the cursor to %q", c.LastID)
	}
	e.Broker.Publish(e.Store.Commit("ses_1", domain.LogSessionPhase))
	c.Want("2:session.phase")
	if !e.Broker.Watched("ses_1") {
		t.Error("an open stream watches the session")
	}
}

func TestCursors(t *testing.T) {
	e := edgetest.New(t, "", clock.System, nil)
	for range 4 {
		e.Store.Commit("ses_1", domain.LogSessionStatus)
	}
	for name, c := range map[string]struct {
		query, header string
		want          []string
	}{
		"from the start":         {"?after=0", "", []string{"1:session.status", "2:session.status", "3:session.status", "4:session.status"}},
		"after a number":         {"?after=3", "", []string{"4:session.status"}},
		"the header wins":        {"?after=0", "3", []string{"4:session.status"}},
		"none":                   {"", "", []string{"4:snapshot"}},
		"the future":             {"?after=5", "", []string{"reset", "4:snapshot"}},
		"garbage":                {"?after=x", "", []string{"reset", "4:snapshot"}},
		"empty":                  {"?after=", "", []string{"reset", "4:snapshot"}},
		"negative":               {"?after=-1", "", []string{"reset", "4:snapshot"}},
		"with a sign":            {"", "+3", []string{"reset", "4:snapshot"}},
		"too large for a number": {"", "99999999999999999999999999", []string{"reset", "4:snapshot"}},
		"very long":              {"", strings.Repeat("9", 4000), []string{"reset", "4:snapshot"}},
	} {
		t.Run(name, func(t *testing.T) {
			for _, path := range []string{"/v1/sessions/ses_1/events", "/v1/events"} {
				var headers []string
				if c.header != "" {
					headers = []string{"Last-Event-ID", c.header}
				}
				s := e.Listen(t, path+c.query, headers...)
				s.Want(c.want...)
				s.Cancel()
			}
		})
	}
	t.Run("pruned", func(t *testing.T) {
		e.Store.Mu.Lock()
		e.Store.Pruned = 2
		e.Store.Mu.Unlock()
		e.Listen(t, "/v1/events?after=1").Want("reset", "4:snapshot")
		e.Listen(t, "/v1/events?after=2").Want("3:session.status", "4:session.status")
	})
}

// A client that comes back with its number misses nothing and gets nothing twice.
func TestComingBack(t *testing.T) {
	e := edgetest.New(t, "", clock.System, nil)
	c := e.Listen(t, "/v1/sessions/ses_1/events?after=0")
	e.Broker.Publish(e.Store.Commit("ses_1", domain.LogSessionPhase))
	e.Broker.Publish(e.Store.Commit("ses_1", domain.LogSessionPhase))
	c.Want("1:session.phase", "2:session.phase")
	c.Cancel()
	e.Broker.Publish(e.Store.Commit("ses_1", domain.LogSessionPhase))
	back := e.Listen(t, "/v1/sessions/ses_1/events", "Last-Event-ID", c.LastID)
	e.Broker.Publish(e.Store.Commit("ses_1", domain.LogSessionPhase))
	back.Want("3:session.phase", "4:session.phase")
}

func TestStreamOfTheWorkspace(t *testing.T) {
	e := edgetest.New(t, "", clock.System, nil)
	c := e.Listen(t, "/v1/events?sessions=ses_1,ses_1&types=message.created,message.delta,slot.changed")
	var snapshot api.WorkspaceSnapshotData
	if err := json.Unmarshal([]byte(c.Want("0:snapshot").Data), &snapshot); err != nil {
		t.Fatal(err)
	}
	if len(snapshot.Approvals) != 1 || snapshot.Sessions == nil || len(*snapshot.Sessions) != 1 || snapshot.Queue == nil {
		t.Errorf("snapshot %+v", snapshot)
	}
	e.Broker.Publish(e.Store.Commit("ses_1", domain.LogSessionPhase))
	e.Broker.Publish(e.Store.Commit("", domain.LogSlotChanged))
	c.Want("2:slot.changed") // a reader that still catches up with the log gets no deltas
	e.Broker.Delta("default", "ses_1", "msg_1", "text", "x")
	c.Want("message.delta")
	e.Broker.Publish(e.Store.Commit("ses_1", domain.LogMessageCreated))
	c.Want("3:message.created")

	for _, path := range []string{"/v1/events?sessions=ses_1,ses_far", "/v1/sessions/ses_far/events", "/v1/sessions/none/events"} {
		if res, body := e.Call(t, http.MethodGet, path, ""); res.StatusCode != http.StatusNotFound {
			t.Errorf("%s: %d %s", path, res.StatusCode, body)
		}
	}
	var many strings.Builder
	for i := range events.MaxStreamSessions + 1 {
		fmt.Fprintf(&many, "ses_%d,", i)
	}
	if res, body := e.Call(t, http.MethodGet, "/v1/events?sessions="+many.String(), ""); res.StatusCode != http.StatusUnprocessableEntity ||
		!strings.Contains(body, `"pointer":"/sessions"`) {
		t.Errorf("too many sessions: %d %s", res.StatusCode, body)
	}
	_, far := e.Call(t, http.MethodGet, "/v1/sessions/ses_far/events", "", "X-Request-ID", "same")
	_, none := e.Call(t, http.MethodGet, "/v1/sessions/none/events", "", "X-Request-ID", "same")
	if far != none {
		t.Errorf("a session of another workspace shows:\n%s\n%s", far, none)
	}
}

// TestTheListShowsWhatTheStreamShows verifies that a client that reads the list page by page and then follows the
// stream from the last number receives the same kinds of events with the same data.
func TestTheListShowsWhatTheStreamShows(t *testing.T) {
	e := edgetest.New(t, "", clock.System, func(e *edgetest.Server, r chi.Router) {
		r.Get("/v1/list", e.RequireStreamRole(domain.RoleViewer, e.Events.ListEvents))
	})
	for _, kind := range []domain.LogType{
		domain.LogSessionCreated, domain.LogSessionPhase, domain.LogSlotChanged, domain.LogMessageCreated, domain.LogCommandPlanned,
		domain.LogUsageUpdated, domain.LogNotice, domain.LogDataChanged, domain.LogApprovalRequested, domain.LogApprovalSettled,
	} {
		for _, session := range []string{"ses_2", "ses_1"} {
			if !kind.OfSession() {
				session = ""
			}
			e.Store.Commit(session, kind)
		}
	}
	for query, count := range map[string]int{
		"": 12, "sessions=ses_1": 16, "sessions=*": 20, "types=session.phase,approval.settled": 4,
		"sessions=ses_1&types=session.phase,approval.settled": 3, "sessions=*&types=session.phase,approval.settled": 4,
	} {
		var names []string
		var last events.StoredEvent
		for after := "0"; after != ""; {
			res, body := e.Call(t, http.MethodGet, "/v1/list?limit=3&after="+after+"&"+query, "")
			var page struct {
				Data       []events.StoredEvent
				NextCursor string `json:"next_cursor"`
			}
			if err := json.Unmarshal([]byte(body), &page); err != nil || res.StatusCode != http.StatusOK {
				t.Fatalf("%s: %d %v %s", query, res.StatusCode, err, body)
			}
			for _, last = range page.Data {
				names = append(names, fmt.Sprintf("%d:%s", last.Seq, last.Type))
			}
			after = page.NextCursor
		}
		c := e.Listen(t, "/v1/events?after=0&"+query)
		if got := c.Want(names...); len(names) != count || got.Data != string(last.Data) || !strings.HasPrefix(got.Data, `{"type":"approval.settled"`) {
			t.Errorf("%q: the list has %v, at last %s; the stream at last %s", query, names, last.Data, got.Data)
		}
		c.Cancel()
	}
}

// Going down says good-bye to every stream and waits for none.
func TestShutdownWithOpenStreams(t *testing.T) {
	e := edgetest.New(t, "", clock.System, nil)
	clients := []*edgetest.SSEClient{e.Listen(t, "/v1/events"), e.Listen(t, "/v1/sessions/ses_1/events")}
	for _, c := range clients {
		c.Want("0:snapshot")
	}
	edgetest.Within(t, 5*time.Second, "going down", func() {
		e.Broker.Drain()
		if err := e.HTTP.Config.Shutdown(t.Context()); err != nil {
			t.Error(err)
		}
	})
	for _, c := range clients {
		c.Want("bye")
		if ms := edgetest.Number(t, c.Retry); ms < 300 || ms > 1000 {
			t.Errorf("retry %d ms", ms)
		}
		if _, ok := c.Next(); ok {
			t.Error("something follows the bye")
		}
	}
}

// A listener that takes nothing in is closed; the others notice nothing.
func TestListenerThatTakesNothingIn(t *testing.T) {
	e := edgetest.New(t, "", clock.System, nil)
	stuck := e.Listen(t, "/v1/sessions/ses_1/events?after=0")
	good := e.Listen(t, "/v1/sessions/ses_1/events?after=0")
	_ = stuck // never read
	big, _ := json.Marshal(strings.Repeat("x", 64<<10))
	const n = 300
	edgetest.Within(t, 30*time.Second, "publishing", func() {
		for i := range n {
			e.Broker.Publish(e.Store.CommitData("ses_1", domain.LogNotice, big))
			if ev := good.Want(edgetest.StringOf(int64(i+1)) + ":notice"); len(ev.Data) != len(big) {
				t.Errorf("event %d came with %d bytes", i, len(ev.Data))
			}
		}
	})
	// Its connection stays for as long as one write may take, its queue does not.
	if load := e.Broker.Load(); load.Streams > 2 {
		t.Errorf("load %+v", load)
	}
	back := e.Listen(t, "/v1/sessions/ses_1/events?after=298")
	back.Want("299:notice", "300:notice")
}

// The heartbeat, and a key that is revoked while its stream is open.
func TestRevokedKeyClosesItsStream(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e, handler := edgetest.Build(t, "", clock.System, nil)
		text, prefix, hash := auth.Mint()
		e.Store.Keys[hash] = &people.Key{ID: "key_" + prefix, WorkspaceID: "default", Role: domain.RoleViewer, Hash: hash}
		c := edgetest.ListenInside(t, handler, "/v1/sessions/ses_1/events", "Authorization", "Bearer "+text)
		c.Want("0:snapshot")
		var revoked time.Time
		time.AfterFunc(31*time.Second, func() {
			e.Store.Mu.Lock()
			defer e.Store.Mu.Unlock()
			delete(e.Store.Keys, hash)
			revoked = time.Now()
		})
		c.Want("bye")
		if took := time.Since(revoked); took > time.Minute {
			t.Errorf("closed after %s", took)
		}
		if _, open := c.Next(); open {
			t.Error("still open")
		}
		if beats := c.Comments; beats != 5 { // the opening, and every 15 s
			t.Errorf("%d comments", beats)
		}
	})
}

// A key whose time is over ends its streams as a revoked one does.
func TestExpiredKeyClosesItsStream(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e, handler := edgetest.Build(t, "", clock.System, nil)
		text, prefix, hash := auth.Mint()
		ends := time.Now().Add(40 * time.Second)
		e.Store.Keys[hash] = &people.Key{ID: "key_" + prefix, WorkspaceID: "default", Role: domain.RoleViewer, Hash: hash, ExpiresAt: &ends}
		c := edgetest.ListenInside(t, handler, "/v1/events", "Authorization", "Bearer "+text)
		c.Want("0:snapshot")
		c.Want("bye")
		if took := time.Since(ends); took < 0 || took > time.Minute {
			t.Errorf("closed after %s", took)
		}
	})
}

// A ticket is worth no more than the key that asked for it.
func TestTicketOfARevokedKey(t *testing.T) {
	e := edgetest.New(t, "", clock.System, nil)
	text, prefix, hash := auth.Mint()
	e.Store.Keys[hash] = &people.Key{ID: "key_" + prefix, WorkspaceID: "default", Role: domain.RoleViewer, Hash: hash}
	_, body := e.Call(t, http.MethodPost, "/v1/stream-tickets", "", "Authorization", "Bearer "+text)
	var ticket api.StreamTicket
	if err := json.Unmarshal([]byte(body), &ticket); err != nil {
		t.Fatal(err)
	}
	e.Store.Mu.Lock()
	delete(e.Store.Keys, hash)
	e.Store.Mu.Unlock()
	e.Auth.Changed()
	if res, body := e.Call(t, http.MethodGet, "/v1/events?ticket="+ticket.Ticket, ""); res.StatusCode != http.StatusUnauthorized {
		t.Errorf("%d %s", res.StatusCode, body)
	}
}

func TestTickets(t *testing.T) {
	root := servertest.RootKey
	e := edgetest.New(t, root, clock.System, nil)
	res, body := e.Call(t, http.MethodPost, "/v1/stream-tickets", "", "Authorization", "Bearer "+root)
	var ticket api.StreamTicket
	if err := json.Unmarshal([]byte(body), &ticket); res.StatusCode != http.StatusCreated || err != nil {
		t.Fatalf("%d %s", res.StatusCode, body)
	}
	if left := time.Until(time.Time(ticket.ExpiresAt)); left < 50*time.Second || left > time.Minute {
		t.Errorf("holds for %s", left)
	}
	e.Listen(t, "/v1/sessions/ses_1/events?ticket="+ticket.Ticket).Want("0:snapshot")
	for _, path := range []string{"/v1/events?ticket=" + ticket.Ticket, "/v1/events?ticket=", "/v1/events", "/v1/stream-tickets?ticket=" + ticket.Ticket} {
		method := http.MethodGet
		if strings.HasPrefix(path, "/v1/stream-tickets") {
			method = http.MethodPost
		}
		if res, body := e.Call(t, method, path, ""); res.StatusCode != http.StatusUnauthorized || res.Header.Get("WWW-Authenticate") == "" {
			t.Errorf("%s: %d %s", path, res.StatusCode, body)
		}
	}
	if strings.Contains(e.Logged.String(), ticket.Ticket) {
		t.Error("the ticket is in the log")
	}
}

func TestHeadOfAStreamEnds(t *testing.T) {
	e := edgetest.New(t, "", clock.System, nil)
	edgetest.Within(t, 5*time.Second, "HEAD", func() {
		if res, _ := e.Call(t, http.MethodHead, "/v1/events", ""); res.StatusCode != http.StatusOK || res.Header.Get("Content-Type") != "text/event-stream" {
			t.Errorf("%d %v", res.StatusCode, res.Header)
		}
	})
}
