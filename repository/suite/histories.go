package suite

import (
	"encoding/binary"
	"sync"
	"sync/atomic"
	"time"

	"github.com/google/uuid"

	"github.com/fermata-dev/fermata/domain"
)

// histories: a history is noted with the message that it ends with, or neither is stored; of
// many who note the same one, one does. Those that are alike come newest first.
func histories(w *world) {
	ctx := w.Context()
	s := w.stored("talks")
	note := func(s *domain.Session, hash string, number int) (*domain.Message, error) {
		c := w.change(s)
		m := w.say(c, s, domain.SenderUser, "hello")
		c.Histories = []domain.KnownHistory{{
			HistoryKey:  domain.HistoryKey{Hash: hash, Number: number, Request: `{"of":"` + hash + `"}`},
			WorkspaceID: s.WorkspaceID, SessionID: s.ID, MessageID: m.ID, CreatedAt: T0,
		}}
		return m, w.Commit(ctx, c)
	}
	first, err := note(s, "h1", 0)
	w.ok(err)
	second, err := note(s, "h2", 0)
	w.ok(err)
	_, err = note(s, "h2", 0)
	w.code(err, domain.CodeConflict)
	messages, err := w.Sessions.Messages(ctx, s.WorkspaceID, s.ID, 0, 10)
	w.ok(err)
	w.equal(len(messages), 2, "messages of which a history is known")

	found, err := w.Histories.KnownHistories(ctx, s.WorkspaceID, [2]string{"h1", "h2"})
	w.ok(err)
	want := []domain.KnownHistory{
		{HistoryKey: domain.HistoryKey{Hash: "h1", Request: `{"of":"h1"}`}, WorkspaceID: s.WorkspaceID, SessionID: s.ID, MessageID: first.ID, CreatedAt: T0},
		{
			HistoryKey: domain.HistoryKey{Hash: "h2", Request: `{"of":"h2"}`}, WorkspaceID: s.WorkspaceID, SessionID: s.ID, MessageID: second.ID,
			CreatedAt: T0, Newest: true,
		},
	}
	if len(found) == 2 && found[0].Hash == "h2" {
		found[0], found[1] = found[1], found[0]
	}
	w.equal(found, want, "known histories")
	none, err := w.Histories.KnownHistories(ctx, "other", [2]string{"h1", ""})
	w.ok(err)
	w.equal(len(none), 0, "histories of another workspace")

	sessionOf(w, s)
	knownRequests(w, first, second)
	manyAlike(w, note)
	w.deletesHistories(s)
}

// sessionOf: a message is found by its id alone, in its own workspace, by the time in the id.
func sessionOf(w *world, s *domain.Session) {
	c := w.change(s)
	m := w.say(c, s, domain.SenderUser, "found by its id")
	m.ID = idAt("msg_", w.now, 1)
	w.ok(w.Commit(w.Context(), c))
	for _, c := range []struct{ ws, message, want string }{
		{s.WorkspaceID, m.ID, s.ID}, {"other", m.ID, ""}, {s.WorkspaceID, "msg_none", ""}, {s.WorkspaceID, idAt("msg_", w.now, 2), ""},
	} {
		session, err := w.Histories.SessionOf(w.Context(), c.ws, c.message)
		w.ok(err)
		w.equal(session, c.want, "the session of "+c.message)
	}
}

// idAt is an id as the server makes them at an instant.
func idAt(prefix string, at time.Time, n byte) string {
	var id uuid.UUID
	binary.BigEndian.PutUint64(id[:8], uint64(at.UnixMilli())<<16)
	id[6], id[8], id[15] = 0x70, 0x80, n
	return prefix + id.String()
}

// knownRequests: what was said of the request that brought a message, in its own session alone.
func knownRequests(w *world, first, second *domain.Message) {
	for _, c := range []struct {
		ws, session, message, want string
	}{
		{first.WorkspaceID, first.SessionID, first.ID, `{"of":"h1"}`}, {second.WorkspaceID, second.SessionID, second.ID, `{"of":"h2"}`},
		{first.WorkspaceID, first.SessionID, "msg_none", ""}, {first.WorkspaceID, "ses_other", first.ID, ""}, {"other", first.SessionID, first.ID, ""},
	} {
		request, err := w.Histories.RequestOf(w.Context(), c.ws, c.session, c.message)
		w.ok(err)
		w.equal(request, c.want, "what was said of the request")
	}
}

// manyAlike: as many as are looked at, the newest first; at the same instant, one of many.
func manyAlike(w *world, note func(*domain.Session, string, int) (*domain.Message, error)) {
	others := make([]*domain.Session, domain.MaxAlike+2)
	for i := range others {
		others[i] = w.stored("alike-" + string(rune('a'+i)))
		_, err := note(others[i], "alike", i)
		w.ok(err)
	}
	found, err := w.Histories.KnownHistories(w.Context(), others[0].WorkspaceID, [2]string{"alike", "none"})
	w.ok(err)
	w.equal(len(found), domain.MaxAlike, "those that are alike")
	w.equal(found[0].Number, len(others)-1, "the newest of them")

	var all sync.WaitGroup
	var noted atomic.Int32
	for _, s := range others[:4] {
		c := w.change(s)
		m := w.say(c, s, domain.SenderUser, "at once")
		c.Histories = []domain.KnownHistory{{
			HistoryKey: domain.HistoryKey{Hash: "race"}, WorkspaceID: s.WorkspaceID, SessionID: s.ID, MessageID: m.ID, CreatedAt: T0.Add(time.Second),
		}}
		all.Go(func() {
			switch err := w.Commit(w.Context(), c); {
			case err == nil:
				noted.Add(1)
			case domain.ErrorCode(err) != domain.CodeConflict:
				w.Errorf("of many at once one got %v", err)
			}
		})
	}
	all.Wait()
	w.equal(noted.Load(), int32(1), "noted")
}

// deletesHistories: what is known of a session goes with it.
func (w *world) deletesHistories(s *domain.Session) {
	c := w.change(s)
	c.Sessions[0].Delete = true
	c.Emit(domain.LogEvent{SessionID: s.ID, Type: domain.LogSessionEnded, Session: s})
	w.ok(w.Commit(w.Context(), c))
	found, err := w.Histories.KnownHistories(w.Context(), s.WorkspaceID, [2]string{"h1", "h2"})
	w.ok(err)
	w.equal(len(found), 0, "histories of a session that is gone")
}
