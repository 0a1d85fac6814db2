package stream

import (
	"slices"
	"sync"

	"github.com/fermata-dev/fermata/domain"
)

const (
	// bulk is the number of events of a change that is not queued: its listeners read it from the
	// log in pages, instead of being closed because of a full queue.
	bulk = maxQueued / 2
	// maxHeld limits the events that wait for an earlier number.
	maxHeld = 1024
)

// topic is a workspace with listeners or with an answer in progress.
type topic struct {
	workspace string
	far       Far

	mu sync.Mutex
	// pos: hints came without a gap up to this number; 0 if none came yet.
	pos  int64
	held []*domain.LogEvent // events that came early, waiting for those before them

	own     map[string]map[*Subscription]struct{} // listeners of one session, by session
	wide    map[*Subscription]struct{}            // listeners of the workspace
	answers map[string]*answer                    // being written, by session
	dirty   bool                                  // on the flusher's list
}

func newTopic(workspace string, far Far) *topic {
	return &topic{
		workspace: workspace, far: far,
		own:     map[string]map[*Subscription]struct{}{},
		wide:    map[*Subscription]struct{}{},
		answers: map[string]*answer{},
	}
}

func (t *topic) idle() bool { return len(t.own) == 0 && len(t.wide) == 0 && len(t.answers) == 0 }

// publish accepts the events of concurrent commits in any order, and reports whether some are held
// back.
func (t *topic) publish(events []*domain.LogEvent) (waiting bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(events) > bulk {
		for _, e := range events {
			t.finish(e)
		}
		t.jump(events[len(events)-1].Seq)
		return len(t.held) > 0
	}
	for _, e := range events {
		if t.pos == 0 {
			t.jump(e.Seq - 1)
		}
		switch {
		case e.Seq <= t.pos:
		case e.Seq == t.pos+1:
			t.emit(e)
			t.release()
		default:
			t.held = append(t.held, e)
		}
	}
	if len(t.held) > maxHeld {
		t.skip()
	}
	return len(t.held) > 0
}

// release emits held events that are now in sequence.
func (t *topic) release() {
	for {
		i := slices.IndexFunc(t.held, func(e *domain.LogEvent) bool { return e.Seq <= t.pos+1 })
		if i < 0 {
			return
		}
		e := t.held[i]
		t.held = slices.Delete(t.held, i, i+1)
		if e.Seq == t.pos+1 {
			t.emit(e)
		}
	}
}

// skip stops waiting: what is missing is read from the log, together with what was held back.
func (t *topic) skip() {
	if len(t.held) == 0 {
		return
	}
	last := t.pos
	for _, e := range t.held {
		t.finish(e)
		last = max(last, e.Seq)
	}
	t.held = nil
	t.jump(last)
}

// jump moves on to seq without the events up to there: listeners must read them from the log.
func (t *topic) jump(seq int64) {
	if seq <= t.pos {
		return
	}
	t.pos = seq
	t.each(func(s *Subscription) { s.rebase(seq) })
	t.release()
}

// emit delivers one event to the listeners that want it. It is encoded once, or not at all if no
// listener wants it.
func (t *topic) emit(e *domain.LogEvent) {
	t.finish(e)
	t.pos = e.Seq
	var f *Event
	give := func(s *Subscription) {
		if !s.filter.Wants(e.Type, e.SessionID) {
			return
		}
		if f == nil {
			f = committed(e)
		}
		s.push(f)
	}
	for s := range t.own[e.SessionID] {
		give(s)
	}
	for s := range t.wide {
		give(s)
	}
}

func (t *topic) each(do func(*Subscription)) {
	for _, subs := range t.own {
		for s := range subs {
			do(s)
		}
	}
	for s := range t.wide {
		do(s)
	}
}

// add makes a listener part of the topic and gives it the answers in progress, as far as they have
// been sent to others, so that its next delta continues exactly there.
func (t *topic) add(s *Subscription) {
	t.mu.Lock()
	defer t.mu.Unlock()
	s.base = t.pos
	if id := s.filter.Session; id != "" {
		if t.own[id] == nil {
			t.own[id] = map[*Subscription]struct{}{}
		}
		t.own[id][s] = struct{}{}
	} else {
		t.wide[s] = struct{}{}
	}
	for _, a := range t.answers {
		if s.filter.wantsAnswer(EventMessageSnapshot, a.session) {
			s.texts = append(s.texts, a.texts()...)
			for _, f := range a.snapshots() {
				s.push(f)
			}
		}
	}
}

func (t *topic) remove(s *Subscription) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if id := s.filter.Session; id != "" {
		delete(t.own[id], s)
		if len(t.own[id]) == 0 {
			delete(t.own, id)
		}
		return
	}
	delete(t.wide, s)
}
