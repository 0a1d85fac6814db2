package maintenance

import (
	"context"
	"fmt"
	"strings"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/domain/reports"
	"github.com/fermata-dev/fermata/repository/internal/sqldb"
	"github.com/fermata-dev/fermata/repository/outside"
)

// invariant counts violations of a rule in one workspace ($1).
type invariant struct{ name, description, count string }

var invariants = []invariant{
	{"two_holders", "more than one session holds a seat of a lane",
		"SELECT COUNT(*) FROM (SELECT lane FROM sessions WHERE workspace_id = $1 AND holds_slot GROUP BY lane, seat HAVING COUNT(*) > 1) doubled"},
	{"row_in_another_lane", "a session queues in another lane than its own",
		"SELECT COUNT(*) FROM queue q JOIN sessions s ON s.workspace_id = q.workspace_id AND s.id = q.session_id " +
			"WHERE q.workspace_id = $1 AND q.lane <> s.lane"},
	{"running_without_slot", "a session is running, does not hold the slot, and finishes no call",
		"SELECT COUNT(*) FROM sessions WHERE workspace_id = $1 AND status = 'running' AND NOT holds_slot AND NOT call_aside AND parent_session_id = ''"},
	{"running_without_owner", "a session is running and never had a driver",
		"SELECT COUNT(*) FROM sessions WHERE workspace_id = $1 AND status = 'running' AND owner_node = ''"},
	{"ended_with_slot", "a session that has ended holds the slot, queues, or has a timer",
		"SELECT COUNT(*) FROM sessions WHERE workspace_id = $1 AND phase = 'COMPLETED' AND (holds_slot OR queued_at IS NOT NULL " +
			"OR wake_at IS NOT NULL)"},
	{"holder_in_queue", "the session that holds the slot queues for it",
		"SELECT COUNT(*) FROM sessions s WHERE s.workspace_id = $1 AND s.holds_slot AND (s.queued_at IS NOT NULL OR EXISTS " +
			"(SELECT 1 FROM queue q WHERE q.workspace_id = $1 AND q.session_id = s.id))"},
	{"place_lost", "a session is marked as queued but is not in the queue",
		"SELECT COUNT(*) FROM sessions s WHERE s.workspace_id = $1 AND s.queued_at IS NOT NULL AND NOT EXISTS " +
			"(SELECT 1 FROM queue q WHERE q.workspace_id = $1 AND q.session_id = s.id)"},
	{"two_runs_go", "two runs of one automation are in progress",
		"SELECT COUNT(*) FROM sessions s WHERE s.workspace_id = $1 AND s.type = 'AUTOMATION' AND s.phase <> 'COMPLETED' " +
			"AND (s.holds_slot OR s.phase <> 'EXECUTING_ENRICHMENTS') AND EXISTS (SELECT 1 FROM sessions o WHERE o.workspace_id = $1 " +
			"AND o.automation_id = s.automation_id AND o.type = 'AUTOMATION' AND o.phase <> 'COMPLETED' " +
			"AND (o.created_at, o.id) < (s.created_at, s.id))"},
	{"run_without_occurrence", "a scheduled run belongs to no occurrence, or to more than one",
		"SELECT COUNT(*) FROM sessions s WHERE s.workspace_id = $1 AND s.type = 'AUTOMATION' AND s.trigger_kind = 'SCHEDULED' " +
			"AND (SELECT COUNT(*) FROM occurrences o WHERE o.workspace_id = $1 AND o.automation_id = s.automation_id AND o.session_id = s.id) <> 1"},
	{"open_approval_on_ended_session", "a session that has ended has an open approval of another kind than outcome",
		"SELECT COUNT(*) FROM approvals a JOIN sessions s ON s.workspace_id = a.workspace_id AND s.id = a.session_id " +
			"WHERE a.workspace_id = $1 AND a.status = 'open' AND a.kind <> 'outcome' AND s.phase = 'COMPLETED'"},
	{"wait_without_approval", "a session waits for a person without an open approval",
		"SELECT COUNT(*) FROM sessions s WHERE s.workspace_id = $1 AND s.phase IN (" + phasesThat(domain.Phase.AsksPerson) + ") " +
			"AND s.open_approvals = 0 AND NOT s.wants_slot AND NOT (s.type = 'AGENT' AND s.parent_session_id <> '') AND NOT EXISTS " +
			"(SELECT 1 FROM sessions a WHERE a.workspace_id = $1 AND a.parent_session_id = s.id AND a.phase <> 'COMPLETED')"},
	{"agent_without_caller", "an agent is running and its caller does not wait for it",
		"SELECT COUNT(*) FROM sessions a WHERE a.workspace_id = $1 AND a.parent_session_id <> '' AND a.phase <> 'COMPLETED' AND NOT EXISTS " +
			"(SELECT 1 FROM sessions s WHERE s.workspace_id = $1 AND s.id = a.parent_session_id " +
			"AND s.phase IN ('EXECUTING_DATA_QUERIES', 'WAITING_VALIDATION'))"},
	{"agent_with_slot", "an agent that was called has a slot of its own, or queues for one",
		"SELECT COUNT(*) FROM sessions a WHERE a.workspace_id = $1 AND a.parent_session_id <> '' AND (a.holds_slot OR a.queued_at IS NOT NULL " +
			"OR a.wants_slot)"},
	{"call_without_result", "a call of the AI has no result, and the AI was called again",
		"SELECT COUNT(*) FROM executions e JOIN messages m ON m.workspace_id = e.workspace_id AND m.session_id = e.session_id " +
			"AND m.id = e.message_id " +
			"WHERE e.workspace_id = $1 AND e.status IN ('PLANNED', 'APPROVED', 'STARTED') AND EXISTS (SELECT 1 FROM messages later " +
			"WHERE later.workspace_id = $1 AND later.session_id = m.session_id AND later.sender = 'AI' AND later.raw <> '' AND later.seq > m.seq)"},
	{"event_gap", "numbers are missing in the log",
		"SELECT ABS(w.last_seq - w.pruned_to - (SELECT CAST(COALESCE(SUM(e.event_count), 0) AS BIGINT) FROM events e " +
			"WHERE e.workspace_id = $1 AND e.seq > w.pruned_to)) FROM workspaces w WHERE w.id = $1"},
	{"event_beyond", "the log has numbers beyond the last one assigned",
		"SELECT COUNT(*) FROM events e JOIN workspaces w ON w.id = e.workspace_id WHERE e.workspace_id = $1 AND e.seq > w.last_seq"},
	{"session_event_gap", "numbers are missing in a session's own count of events",
		"SELECT COUNT(*) FROM (SELECT s.id FROM sessions s JOIN events e ON e.workspace_id = s.workspace_id AND e.session_id = s.id " +
			"WHERE s.workspace_id = $1 GROUP BY s.id, s.session_seq " +
			"HAVING MAX(e.session_seq) - MIN(e.session_seq - e.event_count) <> SUM(e.event_count) OR MAX(e.session_seq) <> s.session_seq) broken"},
	{"transition_without_event", "a transition is not in the log",
		// Compares counts: looking up each transition among the events takes minutes in a large
		// workspace.
		"SELECT COUNT(*) FROM (SELECT e.session_id, MIN(e.session_seq - e.event_count + 1) AS first, " +
			"SUM((LENGTH(e.types) - LENGTH(REPLACE(e.types, 'session.phase', ''))) / LENGTH('session.phase')) AS phases FROM events e " +
			"WHERE e.workspace_id = $1 AND e.session_id <> '' GROUP BY e.session_id) logged WHERE logged.phases < (SELECT COUNT(*) " +
			"FROM transitions t WHERE t.workspace_id = $1 AND t.session_id = logged.session_id AND t.number >= logged.first)"},
	{"kept_for_nobody", "messages of a deleted session are kept although no fork begins with them",
		"SELECT COUNT(*) FROM kept_messages k WHERE k.workspace_id = $1 AND NOT EXISTS " +
			"(SELECT 1 FROM forks f WHERE f.workspace_id = $1 AND f.origin_id = k.session_id)"},
	{"message_out_of_place", "a queued message has a number, or another message has none",
		"SELECT COUNT(*) FROM messages WHERE workspace_id = $1 AND ((seq IS NULL AND status <> 'queued') OR (seq IS NOT NULL " +
			"AND status = 'queued'))"},
	{"inbox_without_message", "an inbox has an item whose message was deleted or is not queued",
		"SELECT COUNT(*) FROM inbox i WHERE i.workspace_id = $1 AND i.done_at IS NULL AND i.message_id <> '' AND NOT EXISTS " +
			"(SELECT 1 FROM messages m WHERE m.workspace_id = $1 AND m.session_id = i.session_id AND m.id = i.message_id AND m.seq IS NULL)"},
	{"inbox_miscounted", "a session's count of its inbox is wrong",
		"SELECT COUNT(*) FROM sessions s WHERE s.workspace_id = $1 AND s.inbox_pending <> (SELECT COUNT(*) FROM inbox i " +
			"WHERE i.workspace_id = $1 AND i.session_id = s.id AND i.done_at IS NULL)"},
	{"approvals_miscounted", "a session's count of its open approvals is wrong",
		"SELECT COUNT(*) FROM sessions s WHERE s.workspace_id = $1 AND s.open_approvals <> (SELECT COUNT(*) FROM approvals a " +
			"WHERE a.workspace_id = $1 AND a.session_id = s.id AND a.status = 'open')"},
	{"tasks_miscounted", "a session's count of its unfinished tasks is wrong",
		"SELECT COUNT(*) FROM sessions s WHERE s.workspace_id = $1 AND s.open_tasks <> (SELECT COUNT(*) FROM tasks x " +
			"WHERE x.workspace_id = $1 AND x.session_id = s.id AND " + outside.TaskIsOpen + ")"},
	{"task_of_ended_session", "a task is unfinished although its session has ended or was deleted",
		"SELECT COUNT(*) FROM tasks x WHERE x.workspace_id = $1 AND " + outside.TaskIsOpen + " AND NOT EXISTS " +
			"(SELECT 1 FROM sessions s WHERE s.workspace_id = $1 AND s.id = x.session_id AND s.phase <> 'COMPLETED')"},
	{"queue_miscounted", "the workspace's count of its queue is wrong",
		"SELECT ABS(w.queue_length - (SELECT COUNT(*) FROM queue q WHERE q.workspace_id = $1)) FROM workspaces w WHERE w.id = $1"},
	{"data_without_home", "a tool is in a zone that was deleted, or an entry in a tool that was",
		"SELECT (SELECT COUNT(*) FROM tools t JOIN zones z ON z.workspace_id = t.workspace_id AND z.id = t.zone_id " +
			"WHERE t.workspace_id = $1 AND t.deleted_at IS NULL AND z.deleted_at IS NOT NULL) + " +
			"(SELECT COUNT(*) FROM entries e JOIN tools t ON t.workspace_id = e.workspace_id AND t.id = e.tool_id " +
			"WHERE e.workspace_id = $1 AND e.deleted_at IS NULL AND t.deleted_at IS NOT NULL)"},
	{"search_out_of_date", "the search finds something that was deleted, or does not find a document",
		"SELECT (SELECT COUNT(*) FROM search s WHERE s.workspace_id = $1 AND " +
			"NOT EXISTS (SELECT 1 FROM entries e WHERE e.workspace_id = $1 AND e.id = s.id AND e.deleted_at IS NULL AND e.at = s.at) AND " +
			"NOT EXISTS (SELECT 1 FROM documents d WHERE d.workspace_id = $1 AND d.id = s.id AND d.deleted_at IS NULL AND d.updated_at = s.at)) + " +
			"(SELECT COUNT(*) FROM documents d WHERE d.workspace_id = $1 AND d.deleted_at IS NULL AND " +
			"NOT EXISTS (SELECT 1 FROM search s WHERE s.workspace_id = $1 AND s.id = d.id AND s.audience <> 'sessions'))"},
}

// phasesThat lists phases as SQL text. They are constants of this program, so they need no
// parameters.
func phasesThat(hold func(domain.Phase) bool) string {
	var list []string
	for _, p := range domain.Phases {
		if hold(p) {
			list = append(list, "'"+string(p)+"'")
		}
	}
	return strings.Join(list, ", ")
}

// Invariants counts the violations of every rule in one workspace. Every count should be 0.
func Invariants(ctx context.Context, r sqldb.Reader, workspace string) ([]reports.Invariant, error) {
	out := make([]reports.Invariant, 0, len(invariants))
	for _, i := range invariants {
		found := reports.Invariant{Name: i.name, Description: i.description}
		if err := r.Get(ctx, &found.Count, i.count, workspace); err != nil {
			return nil, fmt.Errorf("count %s: %w", i.name, err)
		}
		out = append(out, found)
	}
	return out, nil
}
