package suite

import (
	"fmt"
	"slices"

	"github.com/fermata-dev/fermata/domain"
)

// forks: a record begins with that of another, part by part, and stays whole when any of the
// sessions that wrote it is deleted, until the last of those that read it goes.
func forks(w *world) {
	a := w.stored("written first")
	first := w.rounds(a, 4, "a")
	b := w.forked(a, first[5].ID) // after the answer of the third round
	second := w.rounds(b, 2, "b")
	c := w.forked(b, second[1].ID)
	w.rounds(c, 1, "c")
	early := w.forked(c, first[1].ID) // after the first answer, which none of the two wrote
	w.rounds(early, 1, "e")

	whole := map[*domain.Session][]string{
		b:     {"a0?", "a0!", "a1?", "a1!", "a2?", "a2!", "b0?", "b0!", "b1?", "b1!"},
		c:     {"a0?", "a0!", "a1?", "a1!", "a2?", "a2!", "b0?", "b0!", "c0?", "c0!"},
		early: {"a0?", "a0!", "e0?", "e0!"},
	}
	read := func() {
		w.Helper()
		for s, want := range whole {
			w.recordIs(s, want)
		}
	}
	read()
	w.sees(a, first) // later changes of it are not visible in its fork
	read()
	w.deleted(a)
	w.sound()
	read()
	w.deleted(b)
	delete(whole, b)
	read()
	w.deleted(c)
	delete(whole, c)
	read()
	w.deleted(early)
	w.refusesGone(a)
	w.sound()
}

// rounds writes rounds of a question and an answer.
func (w *world) rounds(s *domain.Session, n int, name string) (all []*domain.Message) {
	w.Helper()
	for i := range n {
		c := w.change(s)
		for _, m := range []*domain.Message{
			w.say(c, s, domain.SenderUser, fmt.Sprint(name, i, "?")), w.say(c, s, domain.SenderAI, fmt.Sprint(name, i, "!")),
		} {
			m.RoundID = fmt.Sprint("rnd_", name, i)
			if m.Sender == domain.SenderUser {
				m.Rich, m.Text = &domain.RichContent{LinearText: m.Text, Segments: []domain.Segment{{Type: "text", Text: m.Text}}}, ""
			}
			all = append(all, m)
		}
		w.ok(w.Commit(w.Context(), c))
	}
	return all
}

// forked makes a session that begins with that of another, as the door does.
func (w *world) forked(of *domain.Session, message string) *domain.Session {
	w.Helper()
	point, err := w.Sessions.ForkPoint(w.Context(), of.WorkspaceID, of.ID, message)
	w.ok(err)
	s := w.session("")
	s.Origin = &domain.ForkOrigin{SessionID: of.ID, MessageID: message, Parts: point.Parts()}
	c := &domain.Change{WorkspaceID: of.WorkspaceID, At: T0, Sessions: []domain.SessionWrite{{Session: s, Insert: true}}}
	c.Emit(domain.LogEvent{SessionID: s.ID, Type: domain.LogSessionCreated, Session: s})
	w.ok(w.Commit(w.Context(), c))
	got, err := w.Sessions.Session(w.Context(), s.WorkspaceID, s.ID)
	w.ok(err)
	w.equal(got.Origin, s.Origin, "what it began from")
	return s
}

// words are what a message says.
func words(m *domain.Message) string {
	if m.Rich != nil {
		return m.Rich.LinearText
	}
	return m.Text
}

// recordIs reads a record whole, and in pages of every size, both ways.
func (w *world) recordIs(s *domain.Session, want []string) {
	w.Helper()
	check := func(what string, all []*domain.Message) {
		w.Helper()
		var got []string
		for _, m := range all {
			got = append(got, words(m))
			if m.SessionID != s.ID || m.Superseded {
				w.Fatalf("%s: message %s is shown as %s of %s", what, m.ID, m.ShownStatus(), m.SessionID)
			}
		}
		w.equal(got, want, what)
	}
	all, err := w.Sessions.Record(w.Context(), s)
	w.ok(err)
	check("the whole record", all)
	for limit := 1; limit <= len(want)+1; limit++ {
		for _, latest := range []bool{false, true} {
			var pages []*domain.Message
			for cursor := ""; ; {
				page, next, err := w.Sessions.MessagePage(w.Context(), s, cursor, limit, latest)
				w.ok(err)
				if len(page) > limit || len(page) == 0 {
					w.Fatalf("a page of at most %d has %d messages", limit, len(page))
				}
				pages = append(pages, page...)
				if cursor = next; next == "" {
					break
				}
			}
			if latest {
				slices.Reverse(pages)
			}
			check(fmt.Sprintf("in pages of %d, latest first %v", limit, latest), pages)
		}
	}
}

// sees supersedes what stands at the point at which others have begun.
func (w *world) sees(s *domain.Session, written []*domain.Message) {
	w.Helper()
	c := w.change(s)
	own := *written[5]
	own.Superseded = true
	c.MarkedMessages = append(c.MarkedMessages, &own)
	c.Emit(domain.LogEvent{SessionID: s.ID, Type: domain.LogAnswersChanged, Answers: &domain.AnswersChanged{SessionID: s.ID}})
	w.ok(w.Commit(w.Context(), c))
}

func (w *world) deleted(s *domain.Session) {
	w.Helper()
	c := w.change(s)
	c.Sessions[0].Delete = true
	c.Emit(domain.LogEvent{SessionID: s.ID, Type: domain.LogSessionEnded, Session: s})
	w.ok(w.Commit(w.Context(), c))
}

// refusesGone: who begins with a session that was deleted meanwhile is not made.
func (w *world) refusesGone(gone *domain.Session) {
	w.Helper()
	s := w.session("")
	s.Origin = &domain.ForkOrigin{SessionID: gone.ID, MessageID: "msg", Parts: []domain.RecordPart{{SessionID: gone.ID, To: 9}}}
	c := &domain.Change{WorkspaceID: gone.WorkspaceID, At: T0, Sessions: []domain.SessionWrite{{Session: s, Insert: true}}}
	c.Emit(domain.LogEvent{SessionID: s.ID, Type: domain.LogSessionCreated, Session: s})
	w.code(w.Commit(w.Context(), c), domain.CodeNotFound)
	_, err := w.Sessions.ForkPoint(w.Context(), gone.WorkspaceID, gone.ID, "msg")
	w.code(err, domain.CodeNotFound)
	_, err = w.Sessions.ForkPoint(w.Context(), "other", gone.ID, "msg")
	w.code(err, domain.CodeNotFound)
}
