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
	"github.com/fermata-dev/fermata/domain/outside"
	"github.com/fermata-dev/fermata/internal/clock"
	"github.com/fermata-dev/fermata/internal/egress"
)

const (
	// scanInterval bounds the delay caused by a lost hint, and the time until the webhooks of a failed
	// node are taken over. Each scan is one query for all workspaces.
	scanInterval = 15 * time.Second
	// stopGrace is the time that requests in progress have when the server stops.
	stopGrace = 5 * time.Second
	// allRequests bounds the concurrent requests of this process. It is more than hanging receivers
	// can occupy, since each is limited (book.go).
	allRequests = 2048
)

// Store is the database access of a Loop.
type Store interface {
	LookAtWebhooks(ctx context.Context, now time.Time) (*outside.WebhookLook, error)
	StandingOf(ctx context.Context, ref outside.WebhookRef) (*outside.WebhookStanding, error)
	ClaimWebhook(ctx context.Context, h *outside.WebhookStanding) error
	WebhookLanes(ctx context.Context, ref outside.WebhookRef) ([]outside.WebhookLane, error)
	EventsOfTypes(ctx context.Context, workspace string, session *string, types []domain.LogType, after, to int64, size domain.PageSize) (
		events []*domain.LogEvent, scanned int64, err error)
	RecordWebhook(ctx context.Context, h *outside.Webhook, p *outside.WebhookProgress) error
	DisableWebhook(ctx context.Context, h *outside.Webhook, p *outside.WebhookProgress, reason outside.WebhookReason,
		notice domain.Notice) error
}

// Workspaces provides the language of notices.
type Workspaces interface {
	Workspace(ctx context.Context, id string) (*domain.Workspace, error)
}

// Link creates a link to an approval.
type Link func(ctx context.Context, e *domain.LogEvent, recipient string) (string, error)

// Carrier delivers an event of one kind of webhook. id is the same for each attempt at an event;
// secret is the webhook's, or "".
type Carrier interface {
	Carry(ctx context.Context, h *outside.Webhook, secret, id string, e *domain.LogEvent) Outcome
}

// Outcome is the result of a Carrier's attempt.
type Outcome struct {
	Result     Result
	Status     int    // // of the response, if there was one
	Detail     string // // for people, without network details
	RetryAfter time.Duration
	HeldUntil  time.Time // of Held
}

// Config configures a Loop.
type Config struct {
	Store      Store
	Workspaces Workspaces
	Secrets    Secrets
	Client     *http.Client  // of internal/egress
	Policy     egress.Policy // that of Client
	Agent      string        // // User-Agent: fermata/1.2.3
	Clock      clock.Clock
	Log        zerolog.Logger
	// Link creates the URL at which a recipient answers the approval of an event, or "" if it is
	// settled. Nil: messages have no links.
	Link Link
	// Carriers deliver webhooks of kinds other than HTTP.
	Carriers map[outside.WebhookKind]Carrier
	// Tried, if set, is called after each attempt.
	Tried func(Result)
}

// Loop sends the events of all workspaces to their webhooks. It is woken by commits, here or on
// another node. Workspaces without webhooks cost nothing.
type Loop struct {
	cfg    Config
	sender *sender
	// known are the enabled webhooks. It is replaced and never modified.
	known atomic.Pointer[listeners]
	kick  chan struct{} // // scan all workspaces now

	mu      sync.Mutex
	workers map[outside.WebhookRef]*worker
	ended   bool

	all      chan struct{}
	requests sync.WaitGroup
	running  sync.WaitGroup
	stop     context.CancelFunc // // ends scheduling
	life     context.Context    // // of the loop, until stop
	wire     context.Context    // // of requests: it ends stopGrace later
	cut      context.CancelFunc
}

// listeners are webhooks by workspace: programs, which may receive any event, and people's
// addresses, which receive approval requests only.
type listeners struct{ programs, people map[string][]string }

// NewLoop returns a Loop. It sends between Start and Stop.
func NewLoop(cfg Config) *Loop {
	if cfg.Tried == nil {
		cfg.Tried = func(Result) {}
	}
	l := &Loop{
		cfg: cfg, sender: &sender{client: cfg.Client, policy: cfg.Policy, agent: cfg.Agent, clock: cfg.Clock},
		kick: make(chan struct{}, 1), workers: map[outside.WebhookRef]*worker{}, all: make(chan struct{}, allRequests),
	}
	l.known.Store(&listeners{})
	return l
}

// Start starts scanning.
func (l *Loop) Start(ctx context.Context) error {
	l.life, l.stop = context.WithCancel(context.WithoutCancel(ctx))
	l.wire, l.cut = context.WithCancel(context.WithoutCancel(ctx))
	l.running.Go(func() { l.look(l.life) })
	return nil
}

// Stop ends the loop. Requests in progress have stopGrace to finish, and their outcomes are
// recorded.
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

// Committed processes a change committed by this process.
func (l *Loop) Committed(c *domain.Change) {
	if len(c.Events) > 0 {
		asks := func(e *domain.LogEvent) bool { return e.Type == domain.LogApprovalRequested }
		l.logGrown(c.WorkspaceID, slices.ContainsFunc(c.Events, asks))
	}
}

// Hinted processes a hint about a change committed by another node.
func (l *Loop) Hinted(hint domain.Hint) {
	if hint.Seq > 0 {
		l.logGrown(hint.WorkspaceID, hint.Asked)
	}
}

// Look schedules a scan of all workspaces: a node failed, or a webhook was created.
func (l *Loop) Look() {
	select {
	case l.kick <- struct{}{}:
	default:
	}
}

// Changed wakes a webhook that was created or changed here.
func (l *Loop) Changed(ref outside.WebhookRef) {
	l.wake(ref, true)
	l.Look()
}

// logGrown wakes the webhooks that may have new events. Chat messages do not wake people's addresses:
// their position is recorded by the periodic scan.
func (l *Loop) logGrown(workspace string, asked bool) {
	known := l.known.Load()
	for _, id := range known.programs[workspace] {
		l.wake(outside.WebhookRef{WorkspaceID: workspace, ID: id}, false)
	}
	if !asked {
		return
	}
	for _, id := range known.people[workspace] {
		l.wake(outside.WebhookRef{WorkspaceID: workspace, ID: id}, false)
	}
}

// look scans all workspaces periodically.
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
		next := scanInterval
		if err := l.scanOnce(ctx); err != nil && ctx.Err() == nil {
			l.cfg.Log.Warn().Err(err).Msg("could not scan for webhooks; retrying")
			next = errorDelay
		}
		timer.Reset(next)
	}
}

func (l *Loop) scanOnce(ctx context.Context) error {
	found, err := l.cfg.Store.LookAtWebhooks(ctx, l.cfg.Clock())
	if err != nil {
		return err
	}
	known, enabled := &listeners{map[string][]string{}, map[string][]string{}}, map[outside.WebhookRef]bool{}
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

// wake starts a webhook's worker: its log has grown, or looked is true after a scan.
func (l *Loop) wake(ref outside.WebhookRef, looked bool) {
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
		return // // another node sends
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

// park ends a worker's goroutine, unless it was woken meanwhile.
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

// leave leaves a webhook to another node for a while.
func (l *Loop) leave(w *worker) {
	l.mu.Lock()
	defer l.mu.Unlock()
	w.rest = l.cfg.Clock().Add(takeoverDelay)
}
