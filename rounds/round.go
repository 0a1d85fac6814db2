package rounds

import (
	"context"

	"github.com/fermata-dev/fermata/api"
	"github.com/fermata-dev/fermata/auth"
	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/stream"
)

// Round is the round of a client's message. It is found or begun, followed, and answered where it waits
// for the client.
type Round struct {
	*Config
	Caller *auth.Identity
	Options
	Found Found
	// ID is the id of the round; "" while its message is queued.
	ID string
	// ResultOnly is set for a round of which only the result is written, and not its events.
	ResultOnly bool
	// StopAtCalls ends FollowEvents and CurrentEvents at calls of the client's tools that were answered.
	StopAtCalls bool
	Outcome     Outcome // of FollowEvents and CurrentEvents

	reader  *stream.Reader
	message *domain.Message // as it was last read
	changed bool            // since the record was last read
	live    *liveRound      // of a round that is followed from its beginning; nil: it has to be read
}

// Options are what a request says beside its message.
type Options struct {
	Payer    string // the client's name of who is charged
	Metadata string // of the request, stored with its message, in JSON
	Provider string // id of the provider that answers; "": that of the session
	Tools    *domain.ClientTools
}

// Round returns a round of the caller that has to be found. Close releases it.
func (c *Config) Round(caller *auth.Identity) *Round { return &Round{Config: c, Caller: caller} }

// Close stops following.
func (r *Round) Close() {
	if r.reader != nil {
		r.reader.Close()
		r.reader = nil
	}
}

// listen subscribes to a session from now on.
func (r *Round) listen(session string) {
	r.Close()
	filter := stream.Filter{Workspace: r.Caller.Workspace, Session: session}
	if r.ResultOnly {
		filter.Types = progressEvents
	}
	r.reader = r.Config.Follow(filter)
}

// Progress reads how far the round has come; without a message, the run.
func (r *Round) Progress(ctx context.Context) (*Progress, error) {
	reader := r.recordReader()
	if r.Found.Message == "" {
		return reader.Run(ctx, r.Found.Session)
	}
	at, err := reader.Message(ctx, r.Found.Session, r.Found.Message)
	if err == nil {
		r.message = at.Message
	}
	return at, err
}

func (r *Round) recordReader() *Reader {
	return &Reader{Record: r.Record, Approvals: r.Approvals, Workspace: r.Caller.Workspace, LastRead: r.message}
}

// ReadApprovals reads the open approvals of a session and of the agents that it waits for.
func (r *Round) ReadApprovals(ctx context.Context, at *Progress) error {
	return r.recordReader().ReadApprovals(ctx, at)
}

// Approval returns an approval of the round that can be answered, or was.
func (r *Round) Approval(ctx context.Context, at *Progress, id string) (*domain.Approval, error) {
	a, err := r.Approvals.Approval(ctx, r.Caller.Workspace, id)
	if err != nil {
		return nil, err
	}
	return a, checkAnswerable(a, at.Open, r.Clock())
}

// Answer answers an approval for the caller.
func (r *Round) Answer(ctx context.Context, approval string, d domain.Decision) error {
	d.By = r.Caller.Author()
	_, err := r.Commands.AnswerApproval(ctx, r.Caller.Workspace, approval, d)
	return err
}

// Submit stores the results of the client's tools. The round continues after them: the client has
// everything before.
func (r *Round) Submit(ctx context.Context, results *Results, approval *domain.Approval) error {
	session, message, err := r.submit(ctx, results, approval)
	if err != nil {
		return err
	}
	r.ID, r.Found.ResultsAfter = approval.RoundID, new(positionBefore(message, session.LastSeq))
	r.Found.Repeated = approval.Status != domain.ApprovalStatusOpen
	return nil
}

// SubmitAsMessage does so for a client to which the results are what a message is: it is answered by the
// rest of the round.
func (r *Round) SubmitAsMessage(ctx context.Context, results *Results, approval *domain.Approval) error {
	if err := r.switchProvider(ctx, approval.SessionID); err != nil {
		return err
	}
	session, message, err := r.submit(ctx, results, approval)
	if err != nil {
		return err
	}
	r.Found = *foundAgain(session, message)
	r.Found.Repeated = approval.Status != domain.ApprovalStatusOpen
	return nil
}

func (r *Round) submit(ctx context.Context, results *Results, approval *domain.Approval) (*domain.Session, *domain.Message, error) {
	if err := results.Submit(ctx, r.Commands, approval, r.Caller.Author(), r.Metadata); err != nil {
		return nil, nil, err
	}
	return ResultsMessage(ctx, r.Record, approval)
}

// SetFound makes the round that of a stored message.
func (r *Round) SetFound(s *domain.Session, m *domain.Message) {
	r.Found = *foundAgain(s, m)
	r.Found.Repeated = false
}

// Start positions the events after the message, and returns the progress of the round. The events come
// live if this request stored the message in a session that it listened to, and otherwise from the log.
func (r *Round) Start(ctx context.Context) (*Progress, error) {
	if stored := r.Found.Stored; stored != nil {
		r.message = stored.Message
		r.live = &liveRound{initial: stored, position: r.reader.Position}
		r.reader.Behind(r.Found.after)
		return stored, nil
	}
	r.listen(r.Found.Session)
	at, err := r.Progress(ctx)
	if err != nil {
		return nil, err
	}
	r.changed = true  // it may be over already
	if r.ResultOnly { // the progress has what came before
		if at.Message != nil {
			r.ID = at.Message.RoundID
		}
		r.reader.Skip(at.Session.LastSeq)
		return at, nil
	}
	after := positionBefore(at.Message, at.Session.LastSeq)
	if r.Found.ResultsAfter != nil {
		after = *r.Found.ResultsAfter
	}
	return at, r.reader.Seek(ctx, after)
}

// positionBefore returns the sequence number before a message; latest for one that is queued.
func positionBefore(m *domain.Message, latest int64) int64 {
	if m.Seq == 0 {
		return latest
	}
	return m.Seq - 1
}

// Output is where a protocol writes a round.
type Output interface {
	// Event handles an event of the session, apart from those of the message that begins the round.
	Event(e *api.Event)
	// Flush sends what was written.
	Flush() error
	WriteHeartbeat() error
}

// Follow passes the events to an output until the round is over or waits for a person, and returns the
// progress then.
func (r *Round) Follow(ctx context.Context, out Output) (*Progress, error) {
	allowed := func() error { return r.StillAllowed(ctx, r.Caller) }
	for {
		if err := r.passEvents(ctx, out); err != nil {
			return nil, err
		}
		if err := out.Flush(); err != nil {
			return nil, err
		}
		if at, err := r.check(ctx); at != nil || err != nil {
			return at, err
		}
		if err := waitForEvents(ctx, r.reader, allowed, out.WriteHeartbeat); err != nil {
			return nil, err
		}
	}
}

// passEvents passes the events up to now.
func (r *Round) passEvents(ctx context.Context, out Output) error {
	for more := true; more; {
		var err error
		more, err = nextEvents(ctx, r.reader, func(e *api.Event) {
			if e.Message != nil && e.Message.ID == r.Found.Message {
				r.ID = api.Value(e.Message.RoundID)
			} else {
				out.Event(e)
			}
			if r.live != nil {
				r.live.take(e)
			}
			r.changed = r.changed || mayEndRound(e, r.ID) && !r.live.repeats(e)
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// check returns the progress once the round is over or waits for a person, and all events up to then
// were passed on; nil while it is in progress. The record is read only after an event that may have
// changed it.
func (r *Round) check(ctx context.Context) (*Progress, error) {
	if !r.changed {
		return nil, nil
	}
	if r.live != nil {
		if at := r.live.progress(); at != nil {
			return at, nil
		}
	}
	at, err := r.Progress(ctx)
	if err != nil {
		return nil, err
	}
	// The record may be ahead of the events that are written.
	if at.State != Working && (r.ResultOnly || r.reader.Position() >= at.Session.LastSeq) {
		return at, nil
	}
	r.changed = at.State != Working
	return nil, nil
}
