package webhooks

import (
	"context"
	"net/http"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/rs/zerolog"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/internal/clock"
	"github.com/fermata-dev/fermata/internal/egress"
)

const (
	// lookEvery bounds how long a lost hint delays an event, and how long the webhooks of a
	// node that died wait for another: one query for all workspaces.
	lookEvery = 15 * time.Second
	// stopGrace is how long requests that are on their way have when the server stops.
	stopGrace = 5 * time.Second
	// allRequests is how many requests of this process are on their way at once: more than
	// receivers that hang can hold, of which each has few (book.go).
	allRequests = 2048
)

// Store is what sending needs of the database.
type Store interface {
	LookAtWebhooks(ctx context.Context, now time.Time) (*domain.WebhookLook, error)
	StandingOf(ctx context.Context, ref domain.WebhookRef) (*domain.WebhookStanding, error)
	ClaimWebhook(ctx context.Context, h *domain.WebhookStanding) error
	WebhookLanes(ctx context.Context, ref domain.WebhookRef) ([]domain.WebhookLane, error)
	EventsOfTypes(ctx context.Context, workspace string, session *string, types []domain.LogType, after, to int64, size domain.PageSize) (
		events []*domain.LogEvent, scanned int64, err error)
	RecordWebhook(ctx context.Context, h *domain.Webhook, p *domain.WebhookProgress) error
	DisableWebhook(ctx context.Context, h *domain.Webhook, p *domain.WebhookProgress, reason domain.WebhookReason,
		notice domain.Notice) error
}

// Workspaces say in which language people are told.
type Workspaces interface {
	Workspace(ctx context.Context, id string) (*domain.Workspace, error)
}

// Link is how links to approvals are made.
type Link func(ctx context.Context, e *domain.LogEvent, recipient string) (string, error)

// Carrier takes an event to where it is told of. id is the same at each try of an event;
// secret is the webhook's, "" if it has none.
type Carrier interface {
	Carry(ctx context.Context, h *domain.Webhook, secret, id string, e *domain.LogEvent) Outcome
}

// Outcome is what came of a carrier's try.
type Outcome struct {
	Result     Result
	Status     int    // that of an answer, if there was one
	Detail     string // in words that tell nothing of networks
	RetryAfter time.Duration
	HeldUntil  time.Time // of Held
}

// Config is what sending is done with.
type Config struct {
	Store      Store
	Workspaces Workspaces
	Secrets    Secrets
	Client     *http.Client  // of internal/egress
	Policy     egress.Policy // that of Client
	Agent      string        // who we are: fermata/1.2.3
	Clock      clock.Clock
	Log        zerolog.Logger
	// Link makes the address at which a recipient answers the approval that an event asks for;
	// "" where it is settled. Nil: no link is made.
	Link Link
	// Carriers tell webhooks of other kinds than HTTP.
	Carriers map[domain.WebhookKind]Carrier
	// Tried, if set, is told of each try.
	Tried func(Result)
}

// Loop sends the events of all workspaces to their webhooks. It is woken by what is
// committed, here or on another node; workspaces without webhooks cost it nothing.
type Loop struct {
	cfg    Config
	sender *sender
	// known are the webhooks that are sent to. It is replaced, never changed.
	known atomic.Pointer[listeners]
	kick  chan struct{} // look over all workspaces now

	mu      sync.Mutex
	workers map[domain.WebhookRef]*worker
	ended   bool

	all      chan struct{}
	requests sync.WaitGroup
	running  sync.WaitGroup
	stop     context.CancelFunc // no further request
	life     context.Context    // of the loop, until stop
	wire     context.Context    // of requests: it ends stopGrace later
	cut      context.CancelFunc
}

// listeners are webhooks, by workspace: those that may be told of anything, and those by which
// people are, of what waits for them alone.
type listeners struct{ programs, people map[string][]string }

// NewLoop makes it. It sends between Start and Stop.
func NewLoop(cfg Config) *Loop {
	if cfg.Tried == nil {
		cfg.Tried = func(Result) {}
	}
	l := &Loop{
		cfg: cfg, sender: &sender{client: cfg.Client, policy: cfg.Policy, agent: cfg.Agent, clock: cfg.Clock},
		kick: make(chan struct{}, 1), workers: map[domain.WebhookRef]*worker{}, all: make(chan struct{}, allRequests),
	}
	l.known.Store(&listeners{})
	return l
}

// Start begins to look.
func (l *Loop) Start(ctx context.Context) error {
	l.life, l.stop = context.WithCancel(context.WithoutCancel(ctx))
	l.wire, l.cut = context.WithCancel(context.WithoutCancel(ctx))
	l.running.Go(func() { l.look(l.life) })
	return nil
}

// Stop ends it: what is on its way has stopGrace to arrive, and what came of it is recorded.
func (l *Loop) Stop(context.Context) error {
	if l.stop == nil {
		return nil
	}
	l.mu.Lock()
	l.ended = true
	l.mu.Unlock()
	l.stop()
	timer := time.AfterFunc(stopGrace, l.cut)
	defer timer.Stop()
	l.running.Wait()
	l.requests.Wait()
	l.cut()
	return nil
}

// Committed is told of a change that this process committed.
func (l *Loop) Committed(c *domain.Change) {
	if len(c.Events) > 0 {
		asks := func(e *domain.LogEvent) bool { return e.Type == domain.LogApprovalRequested }
		l.grown(c.WorkspaceID, slices.ContainsFunc(c.Events, asks))
	}
}

// Heard is told of one that another node committed.
func (l *Loop) Heard(hint domain.Hint) {
	if hint.Seq > 0 {
		l.grown(hint.WorkspaceID, hint.Asked)
	}
}

// Look has all workspaces looked over soon: a node is gone, or a webhook was made.
func (l *Loop) Look() {
	select {
	case l.kick <- struct{}{}:
	default:
	}
}

// Changed has a webhook looked at that was made or changed here.
func (l *Loop) Changed(ref domain.WebhookRef) {
	l.wake(ref, true)
	l.Look()
}

// grown wakes whom the log may have something for. Nobody's telephone costs the messages of a
// chat anything: how far nothing had to be told is written at a look over all.
func (l *Loop) grown(workspace string, asked bool) {
	known := l.known.Load()
	for _, id := range known.programs[workspace] {
		l.wake(domain.WebhookRef{WorkspaceID: workspace, ID: id}, false)
	}
	if !asked {
		return
	}
	for _, id := range known.people[workspace] {
		l.wake(domain.WebhookRef{WorkspaceID: workspace, ID: id}, false)
	}
}

// look looks over all workspaces from time to time.
func (l *Loop) look(ctx context.Context) {
	timer := time.NewTimer(0)
	defer timer.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-l.kick:
		case <-timer.C:
		}
		next := lookEvery
		if err := l.lookOnce(ctx); err != nil && ctx.Err() == nil {
			l.cfg.Log.Warn().Err(err).Msg("could not look for webhooks; trying again")
			next = retryLook
		}
		timer.Reset(next)
	}
}

func (l *Loop) lookOnce(ctx context.Context) error {
	found, err := l.cfg.Store.LookAtWebhooks(ctx, l.cfg.Clock())
	if err != nil {
		return err
	}
	known, enabled := &listeners{map[string][]string{}, map[string][]string{}}, map[domain.WebhookRef]bool{}
	for _, ref := range found.People {
		known.people[ref.WorkspaceID] = append(known.people[ref.WorkspaceID], ref.ID)
		enabled[ref] = true
	}
	for _, ref := range found.Enabled {
		if !enabled[ref] {
			known.programs[ref.WorkspaceID] = append(known.programs[ref.WorkspaceID], ref.ID)
		}
		enabled[ref] = true
	}
	l.known.Store(known)
	l.mu.Lock()
	for ref, w := range l.workers {
		if !enabled[ref] && !w.running {
			delete(l.workers, ref)
		}
	}
	l.mu.Unlock()
	for _, ref := range found.Behind {
		l.wake(ref, true)
	}
	return nil
}

// wake has a webhook looked at: its log has grown, or looked says that more is known.
func (l *Loop) wake(ref domain.WebhookRef, looked bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.ended || l.life == nil {
		return
	}
	w := l.workers[ref]
	if w == nil {
		w = newWorker(l, ref)
		l.workers[ref] = w
	}
	if !looked && l.cfg.Clock().Before(w.rest) {
		return // another node sends
	}
	w.looked = w.looked || looked
	if w.running {
		select {
		case w.kick <- struct{}{}:
		default:
		}
		return
	}
	w.running = true
	l.running.Go(func() { w.run(l.life) })
}

// park ends a worker's goroutine, unless it was woken since it looked.
func (l *Loop) park(ctx context.Context, w *worker) (parked bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	select {
	case <-w.kick:
		if ctx.Err() == nil {
			return false
		}
	default:
	}
	w.running = false
	return true
}

// leave has a worker leave a webhook to another node for a while.
func (l *Loop) leave(w *worker) {
	l.mu.Lock()
	defer l.mu.Unlock()
	w.rest = l.cfg.Clock().Add(otherOwner)
}
