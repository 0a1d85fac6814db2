package domain

// Prefixes of ids. An id is its prefix, an underscore and a time-ordered UUIDv7 in
// hexadecimal without dashes; the server makes it, never the database.
const (
	PrefixSession    = "ses"
	PrefixMessage    = "msg"
	PrefixRound      = "rnd"
	PrefixRoundtrip  = "rtp"
	PrefixExecution  = "exe"
	PrefixApproval   = "apr"
	PrefixZone       = "zon"
	PrefixTool       = "tol"
	PrefixEntry      = "ent"
	PrefixDocument   = "doc"
	PrefixProvider   = "prv"
	PrefixKey        = "key"
	PrefixInbox      = "inb"
	PrefixChange     = "chg"
	PrefixAutomation = "aut"
	PrefixOccurrence = "occ"
	PrefixGrant      = "gra"
	PrefixWebhook    = "whk"
	PrefixAgent      = "agt"
	PrefixTask       = "tsk"
	PrefixConnector  = "con"
	PrefixSignIn     = "sgn"
	PrefixFile       = "fil"
	PrefixPasskey    = "psk"
	PrefixPush       = "psh"
	PrefixPerson     = "per"
)

// IDSource makes ids: given a prefix, a new id. It is passed in, so that pure code
// stays pure and tests read the same from run to run.
type IDSource func(prefix string) string
