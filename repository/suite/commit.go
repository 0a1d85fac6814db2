package suite

import (
	"errors"

	"github.com/fermata-dev/fermata/domain"
)

// commitNumbers: the workspace's numbers run through everything, a session's own
// count through its events, and all that shows a number shows the same.
func commitNumbers(w *world) {
	a := w.stored("first")
	b := w.stored("second")
	w.equal([]int64{a.LastSeq, a.SessionSeq, b.LastSeq, b.SessionSeq}, []int64{1, 1, 2, 1}, "numbers after creation")

	c := w.change(a)
	user := w.say(c, a, domain.SenderUser, "hello")
	moved := w.move(c, a, domain.CallingAI, "UserMessageSent")
	c.Emit(domain.LogEvent{Type: domain.LogQueueChanged})
	answer := w.say(c, a, domain.SenderAI, "hi")
	back := w.move(c, a, domain.Idle, "AIResponseParsed")
	c.Sessions[0].Claim = true
	w.ok(w.Commit(w.Context(), c))

	w.equal([]int64{user.Seq, answer.Seq}, []int64{3, 6}, "messages' numbers")
	w.equal([]int64{moved.Number, back.Number}, []int64{3, 5}, "transitions' numbers")
	w.equal([]int64{a.LastSeq, a.SessionSeq, a.Version, a.RunEpoch}, []int64{7, 5, 2, 1}, "the session's numbers")
	w.equal(a.OwnerNode+"/"+a.OwnerIncarnation, "node-1/first", "owner after a claim")

	all, err := w.Events(w.Context(), domain.DefaultWorkspace, "", 2, 0)
	w.ok(err)
	var data []string
	for _, e := range all {
		data = append(data, string(e.Data))
	}
	w.equal(data, []string{
		`{"message_seq":3,"seq":3,"session_seq":2,"type":"message.created"}`,
		`{"number":3,"seq":4,"session_seq":3,"type":"session.phase"}`,
		`{"seq":5,"session_seq":0,"type":"queue.changed"}`,
		`{"message_seq":6,"seq":6,"session_seq":4,"type":"message.created"}`,
		`{"number":5,"seq":7,"session_seq":5,"type":"session.phase"}`,
	}, "the log")
	own, err := w.Events(w.Context(), domain.DefaultWorkspace, a.ID, 0, 0)
	w.ok(err)
	for i, e := range own {
		w.equal(e.SessionSeq, int64(i+1), "the session's own count")
	}
	got, err := w.Session(w.Context(), domain.DefaultWorkspace, a.ID)
	w.ok(err)
	w.equal(got, a, "the stored session")
	w.equal(len(w.told), 3, "changes told after their commit")
	w.sound()
}

// staleRefused: a write with a version or an epoch that is gone changes nothing, and
// takes back the numbers it had set.
func staleRefused(w *world) {
	s := w.stored("first")
	old := s.Clone()
	w.ok(w.Commit(w.Context(), w.change(s)))

	before := *old
	c := w.change(old)
	m := w.say(c, old, domain.SenderUser, "too late")
	if err := w.Commit(w.Context(), c); !errors.Is(err, domain.ErrStale) {
		w.Fatalf("an old version: got %v, want ErrStale", err)
	}
	w.equal(*old, before, "the session after the refusal")
	w.equal([]int64{m.Seq, c.Events[0].Seq}, []int64{0, 0}, "the numbers after the refusal")

	fenced := s.Clone()
	c = w.change(s)
	c.Sessions[0].Claim = true
	w.ok(w.Commit(w.Context(), c))
	fenced.Version = s.Version // it reloaded the version, but drives with its old epoch
	if err := w.Commit(w.Context(), w.change(fenced)); !errors.Is(err, domain.ErrStale) {
		w.Fatalf("an old epoch: got %v, want ErrStale", err)
	}
	list, err := w.Messages(w.Context(), domain.DefaultWorkspace, s.ID, 0, 0)
	w.ok(err)
	w.equal(len(list), 0, "messages of refused changes")
	w.sound()
}
