package keep

// table says what becomes of a table when its rows leave the database.
type table struct {
	name string
	// stays says why it is in no archive of a workspace; "" is: it is in them.
	stays string
	// apart is a condition on rows that are in no archive of a workspace, and why is why.
	apart, why string
	// never says why it is not in the archive of an installation either.
	never string
	// secrets are the columns that an archive of a workspace holds emptied, and what their
	// loss means to whoever imports it.
	secrets map[string]string
	// own are the columns that name a process of this installation: nobody there is it.
	own map[string]string
	// resting are the columns that are set so in an archive of a workspace, as what they
	// switch on needs a secret that is not in it.
	resting map[string]any
}

// node marks who drove a session: a process that is gone, and ended in good order.
var node = map[string]string{"owner_node": "exported", "owner_incarnation": ""}

// Whose browsers are told is of the installation that the people are of.
const (
	browsers = "browsers that people are told at are known to this installation alone: they subscribe where the workspace goes"
	ofPush   = "(workspace_id, webhook_id) IN (SELECT h.workspace_id, h.id FROM webhooks h WHERE h.kind = 'push')"
)

const (
	enterAgain = "enter it again"
	makeAgain  = "renew it, and tell who uses it"
)

// tables are all that hold something of a workspace, each behind those that it refers to. A
// new one gets a line here, or a test fails.
var tables = []table{
	{name: "workspaces"},
	{name: "providers", secrets: map[string]string{"secret_sealed": enterAgain, "secret_mask": ""}},
	{name: "connectors", secrets: map[string]string{"secret_sealed": enterAgain}},
	{name: "agents"},
	{name: "agent_versions"},
	{name: "zones"},
	{name: "tool_types"},
	{name: "tools"},
	{name: "entries"},
	{name: "documents"},
	{name: "document_versions"},
	{name: "automations", secrets: map[string]string{"hook_sealed": makeAgain, "hook_hash": ""}},
	{name: "grants"},
	{name: "occurrences"},
	{name: "sessions", own: node},
	{name: "forks"},
	{name: "kept_messages"},
	{name: "messages"},
	{name: "file_contents"},
	{name: "file_chunks"},
	{name: "files"},
	{name: "file_uses"},
	{name: "kept_file_uses"},
	{name: "known_histories"},
	{name: "executions"},
	{name: "approvals"},
	{name: "tasks"},
	{name: "transitions"},
	{name: "roundtrips"},
	{name: "inbox"},
	{name: "queue"},
	{name: "events"},
	{name: "webhooks", apart: "kind = 'push'", why: browsers, secrets: map[string]string{"secret_sealed": makeAgain, "old_secret_sealed": ""}, own: node,
		resting: map[string]any{"enabled": false, "disabled_reason": "It was imported, without its secret: rotate the secret, then enable it."}},
	{name: "webhook_lanes", apart: ofPush},
	{name: "webhook_deliveries", apart: ofPush},
	{name: "connector_grants", stays: "people's sign-ins to connectors are of this installation: sign in again where the workspace goes"},
	{name: "sign_ins", stays: "people sign in anew where the workspace goes"},
	{name: "passkeys", stays: "passkeys are bound to the name of this installation: register them where the workspace goes"},
	{name: "passkey_registrations", stays: "registrations of passkeys live for minutes", never: "they live for minutes"},
	{name: "keys", stays: "keys open the installation that made them: make new ones where the workspace goes"},
	{name: "idempotency", stays: "answers kept for a day, for requests that are repeated at the same server"},
	{name: "stream_tickets", stays: "tickets of event streams live for seconds", never: "they live for seconds"},
	{name: "changes", stays: "marks of transactions are of use for seconds", never: "they are of use for seconds"},
	{name: "search", stays: "what the search finds is made again from the data", never: "it is made again from the data"},
}

// scope is what an archive is of.
type scope string

const (
	ofWorkspace    scope = "workspace"
	ofInstallation scope = "installation"
)

// archived are the tables of a scope.
func archived(s scope) []table {
	var in []table
	for _, t := range tables {
		if s == ofWorkspace && t.stays == "" || s == ofInstallation && t.never == "" {
			in = append(in, t)
		}
	}
	return in
}

// change gives a column's value as an archive of that scope holds it.
func (t *table) change(s scope, column string, value any) any {
	if s == ofInstallation {
		return value
	}
	if _, secret := t.secrets[column]; secret {
		return ""
	}
	if is, own := t.own[column]; own && value != "" {
		return is
	}
	if is, rests := t.resting[column]; rests {
		return is
	}
	return value
}
