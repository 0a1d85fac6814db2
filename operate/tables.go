package operate

// table defines how the rows of a database table are exported.
type table struct {
	name string
	// stays is the reason why the table is not in the archive of a workspace; "" means that it is.
	stays string
	// apart is a condition on the rows that are not in the archive of a workspace, and why is the reason.
	apart, why string
	// never is the reason why the table is not in the archive of an installation either.
	never string
	// secrets are the columns that are empty in the archive of a workspace, each with what to do about it after an
	// import.
	secrets map[string]string
	// own are the columns that name a process of this installation, with the value that replaces it: that process
	// does not exist elsewhere.
	own map[string]string
	// resting are the columns that get these values in the archive of a workspace, because what they enable needs a
	// secret that is not in the archive.
	resting map[string]any
}

// node replaces the owner of a session: a process that ended in good order.
var node = map[string]string{"owner_node": "exported", "owner_incarnation": ""}

// Push subscriptions belong to the installation to which the people have subscribed.
const (
	browsers = "browsers that receive notifications are known to this installation alone: they subscribe again where the workspace goes"
	ofPush   = "(workspace_id, webhook_id) IN (SELECT h.workspace_id, h.id FROM webhooks h WHERE h.kind = 'push')"
)

const (
	enterAgain = "enter it again"
	makeAgain  = "renew it, and inform its users"
)

// tables are all tables that contain data of a workspace, each after those that it refers to. A test fails for a
// table without a line here.
var tables = []table{
	{name: "workspaces"},
	{name: "people"},
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
	{name: "held_answers"},
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
	{name: "sign_ins", stays: "people sign in again where the workspace goes"},
	{name: "person_tokens", stays: "tokens are short-lived, and belong to a key: programs issue new ones where the workspace goes"},
	{name: "passkeys", stays: "passkeys are bound to the name of this installation: register them where the workspace goes"},
	{name: "passkey_registrations", stays: "registrations of passkeys live for minutes", never: "they live for minutes"},
	{name: "keys", stays: "keys open the installation that made them: make new ones where the workspace goes"},
	{name: "idempotency", stays: "answers kept for a day, for requests that are repeated at the same server"},
	{name: "stream_tickets", stays: "tickets of event streams live for seconds", never: "they live for seconds"},
	{name: "changes", stays: "marks of transactions are of use for seconds", never: "they are of use for seconds"},
	{name: "search", stays: "what the search finds is made again from the data", never: "it is made again from the data"},
}

// scope is the extent of an archive.
type scope string

const (
	ofWorkspace    scope = "workspace"
	ofInstallation scope = "installation"
)

// archived returns the tables of a scope.
func archived(s scope) []table {
	var in []table
	for _, t := range tables {
		if s == ofWorkspace && t.stays == "" || s == ofInstallation && t.never == "" {
			in = append(in, t)
		}
	}
	return in
}

// change returns a column's value as it is written to an archive of that scope.
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
