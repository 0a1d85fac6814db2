package outside

import "time"
import "github.com/fermata-dev/fermata/domain"

// Webhook is an address that is notified of events of a workspace's log.
type Webhook struct {
	ID string
	// Kind is the transport; URL the address: of HTTP, of mail, or of a push service.
	Kind        WebhookKind
	WorkspaceID string
	URL         string
	Types       []domain.LogType
	Enabled     bool
	// Links: what waits for a person comes with a link to it.
	Links bool
	// Person is the browser's owner, Label their name for it, Language theirs, and SignIn the sign-in it
	// was registered in; of a push subscription.
	Person, Label, Language, SignIn string
	// HoldsUntil is when it ends by itself. Nil: it does not.
	HoldsUntil *time.Time
	// DisabledReason is why the server disabled it; empty if it did not.
	DisabledReason WebhookReason
	// Secret signs; OldSecret signs too until OldSecretUntil. Both are sealed.
	Secret         string
	OldSecret      string
	OldSecretUntil *time.Time
	// FailingSince is when the first of its latest tries failed, of which none succeeded.
	FailingSince *time.Time
	// PausedUntil is the end of a pause that the receiver requested.
	PausedUntil *time.Time
	// SentTo: every event up to this number was sent, or is left to a lane, or never will be.
	SentTo int64
	// Epoch increases whenever the sending process may change: decisions made under an earlier one are not
	// recorded.
	Epoch     int64
	Version   int64
	CreatedAt time.Time
	UpdatedAt time.Time
}

// WebhookKind is the transport of a webhook.
type WebhookKind string

const (
	// WebhookHTTP is one that people make (/v1/webhooks).
	WebhookHTTP WebhookKind = "http"
	// WebhookMail is an address of the setting notifications.mail_to.
	WebhookMail WebhookKind = "mail"
	// WebhookPush is a browser's push subscription.
	WebhookPush WebhookKind = "push"
)

// WebhookReason is why the server disabled a webhook.
type WebhookReason string

const (
	// WebhookGone: the receiver answered 410.
	WebhookGone WebhookReason = "gone"
	// WebhookFailing: for three days nothing that was sent arrived.
	WebhookFailing WebhookReason = "failures"
)

const (
	// MaxWebhooks is how many a workspace has at most: each is sent everything of its types.
	MaxWebhooks = 20
	// MaxWebhookURL is how many bytes an address has at most.
	MaxWebhookURL = 2000
	// MaxWebhookLanes is how many sessions a webhook may lag behind in, each on its own. With
	// more, all wait.
	MaxWebhookLanes = 500
	// WebhookTries is how often an event is tried, over three days.
	WebhookTries = 10
	// WebhookPatience is for how long a webhook may fail before it is disabled.
	WebhookPatience = 72 * time.Hour
	// WebhookSecretOverlap is how long the secret that was replaced signs beside the new one.
	WebhookSecretOverlap = 24 * time.Hour
)

// WebhookLane is a session (or, with an empty id, the workspace itself) whose events a webhook is behind
// with: they continue from SentTo while those of others are sent.
type WebhookLane struct {
	SessionID string
	SentTo    int64
	Tries     int       // of its next event
	Since     time.Time // the first of these
	DueAt     time.Time
}

// DeliveryState is the state of an event at a webhook.
type DeliveryState string

const (
	DeliveryDone     DeliveryState = "delivered"
	DeliveryRetrying DeliveryState = "retrying"
	DeliveryFailed   DeliveryState = "failed"
	// DeliverySkipped: the events up to a number were not sent and will not be.
	DeliverySkipped DeliveryState = "skipped"
)

// WebhookDelivery is the delivery of one event to one webhook.
type WebhookDelivery struct {
	Seq       int64
	Type      domain.LogType // empty: DeliverySkipped
	SessionID string
	State     DeliveryState
	Tries     int
	At        time.Time // the event
	FirstAt   time.Time // the first try
	LastAt    time.Time // the latest try
	NextAt    *time.Time
	Status    int    // of the latest answer; 0: there was none
	Detail    string // the problem, without details of the network
	Took      time.Duration
}

// WebhookProgress is the result of sending, written atomically under the epoch of the decision.
type WebhookProgress struct {
	SentTo       int64
	FailingSince *time.Time
	PausedUntil  *time.Time
	Lanes        []WebhookLane
	CaughtUp     []string // lanes that are no more
	Deliveries   []WebhookDelivery
}

// WebhookRef names a webhook.
type WebhookRef struct{ WorkspaceID, ID string }

// WebhookStanding is a webhook as it is now, with what is known of its workspace's log.
type WebhookStanding struct {
	Webhook
	Mine       bool // this process sends
	OwnerAlive bool // or another one, that lives
	Newest     int64
	PrunedTo   int64
}

// WebhookLook is what a look over all workspaces finds.
type WebhookLook struct {
	Enabled []WebhookRef // every one that is sent to
	Behind  []WebhookRef // those with something to do that no other living process does
	People  []WebhookRef // those of Enabled that notify people, of what concerns them alone
}

// WebhookPatch changes a webhook.
type WebhookPatch struct {
	URL     *string
	Types   []domain.LogType // nil: as they are
	Enabled *bool
	Links   *bool
}

// WebhookTest is the result of a test message to an address.
type WebhookTest struct {
	OK     bool
	Status int
	Detail string
	Took   time.Duration
}
