package operate

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/domain/automation"
	"github.com/fermata-dev/fermata/domain/outside"
	"github.com/fermata-dev/fermata/domain/trust"
	"github.com/fermata-dev/fermata/internal/exactjson"
)

// The archive of a workspace carries a hash, not a signature: anybody can write one. So its contents can
// be read after an import, and nothing of it acts before a person has enabled it: no program starts, no
// request leaves, no session continues.

// Program is what an archive would have the server start or call.
type Program struct {
	Kind    string `json:"kind"` // connector or provider
	ID      string `json:"id"`
	Name    string `json:"name"`
	Command string `json:"command,omitempty"` // what would be started on this machine, with its arguments
	URL     string `json:"url,omitempty"`     // where requests would go
}

// whyOff is stored as the reason where a row has a place for one.
const whyOff = "Imported: review it, then enable it."

// disarmer changes the rows of an archive on their way in.
type disarmer struct {
	now      time.Time
	programs []Program
	// disabled counts the rows that were switched off, by table.
	disabled map[string]int64
	// queued are the messages that were left out: no row may refer to one.
	queued map[string]bool
}

func newDisarmer(now time.Time) *disarmer {
	return &disarmer{now: now, disabled: map[string]int64{}, queued: map[string]bool{}}
}

// messageKey names a message that a row is, or refers to.
func messageKey(row map[string]any, column string) string {
	return word(row["session_id"]) + " " + word(row[column])
}

// row returns false for a row that is not imported.
func (d *disarmer) row(table string, row map[string]any) (bool, error) {
	var err error
	switch table {
	case "workspaces":
		err = object(row, "settings", func(settings document) { settings.remove("notifications") })
	case "providers":
		d.off(table, row, "is_default", false)
		row["env_grant"] = ""
		err = d.provider(row)
	case "connectors":
		d.off(table, row, "enabled", false)
		row["status"], row["status_detail"] = string(outside.ConnectorDisabled), ""
		err = d.connector(row)
	case "agents":
		err = object(row, "definition", func(agent document) { agent.set("enabled", false) })
	case "automations":
		d.off(table, row, "enabled", false)
		row["disabled_reason"], row["next_at"], row["watches"] = whyOff, nil, false
	case "grants":
		if row["revoked_at"] == nil {
			d.off(table, row, "revoked_at", d.micros())
		}
	case "occurrences":
		if row["state"] == string(automation.OccurrenceDue) {
			row["state"], row["reason"] = string(automation.OccurrenceSkipped), "disabled"
		}
	case "sessions":
		err = d.session(row)
	case "messages": // a queued one would begin a round
		if row["seq"] == nil {
			d.queued[messageKey(row, "id")] = true
			return false, nil
		}
	case "file_uses":
		return !d.queued[messageKey(row, "message_id")], nil
	case "inbox":
		return row["done_at"] != nil, nil
	case "queue":
		return false, nil
	case "tasks":
		d.task(row)
	case "zones", "tool_types", "tools", "entries", "documents": // the file can claim anything about them
		row["trust"], row["trust_detail"] = string(trust.Outside), ""
	}
	return true, err
}

// off sets a column, and counts the row if that changes it.
func (d *disarmer) off(table string, row map[string]any, column string, value any) {
	if row[column] != value {
		d.disabled[table]++
	}
	row[column] = value
}

func (d *disarmer) micros() json.Number { return json.Number(strconv.FormatInt(d.now.UnixMicro(), 10)) }

func (d *disarmer) provider(row map[string]any) error {
	return object(row, "config", func(config document) {
		d.programs = append(d.programs, Program{
			Kind: "provider", ID: word(row["id"]), Name: word(row["name"]), URL: word(config.get("base_url")),
		})
	})
}

// connector switches every command off, and names the program or the address.
func (d *disarmer) connector(row map[string]any) error {
	err := object(row, "config", func(config document) {
		p := Program{Kind: "connector", ID: word(row["id"]), Name: word(row["name"]), Command: word(config.get("command"))}
		if p.URL = word(config.get("url")); p.URL == "" {
			p.URL = word(config.get("base_url"))
		}
		if args, ok := config.get("args").([]any); ok && p.Command != "" {
			for _, a := range args {
				p.Command += " " + strconv.Quote(word(a))
			}
		}
		config.set("offer_read_only", false)
		d.programs = append(d.programs, p)
	})
	if err != nil {
		return err
	}
	var commands []document
	if err := unmarshal(row, "commands", &commands); err != nil {
		return err
	}
	for _, c := range commands {
		if c == nil {
			return errors.New("the column commands holds no list of commands")
		}
		c.set("state", string(outside.CommandOff))
		c.set("trusted", false)
	}
	if commands == nil {
		return nil
	}
	return marshal(row, "commands", commands)
}

// session sets a session apart that would continue by itself: a person resumes or stops it.
// A chat at rest stays as it is.
func (d *disarmer) session(row map[string]any) error {
	row["holds_slot"], row["slot_since"], row["wants_slot"], row["queued_at"], row["wake_at"] = false, nil, false, nil, nil
	row["inbox_pending"], row["open_tasks"], row["reserved_micros"] = json.Number("0"), json.Number("0"), json.Number("0")
	if row["phase"] == string(domain.Completed) || row["type"] == string(domain.Seed) {
		return nil
	}
	return object(row, "state", func(state document) {
		for _, resumes := range []string{"pending_cause", "again", "suspended", "suspended_at", "agent_answered", "reserved_cost"} {
			state.remove(resumes)
		}
		if row["phase"] != string(domain.Idle) {
			state.set("poisoned", true)
			row["status"] = string(domain.StatusRequiresAction)
			d.disabled["sessions"]++
		}
	})
}

// task ends work of another service that was under way: nothing here waits for it.
func (d *disarmer) task(row map[string]any) {
	row["due_at"], row["owed"] = nil, ""
	open := []string{string(domain.TaskPending), string(domain.TaskRunning), string(domain.TaskUnknown)}
	if slices.Contains(open, word(row["status"])) {
		row["status"], row["ended_at"] = string(domain.TaskCancelled), d.micros()
		d.disabled["tasks"]++
	}
}

func word(value any) string {
	s, _ := value.(string)
	return s
}

func unmarshal(row map[string]any, column string, into any) error {
	text := word(row[column])
	if text == "" {
		return nil
	}
	if err := exactjson.Unmarshal([]byte(text), into); err != nil {
		return fmt.Errorf("read the column %s: %w", column, err)
	}
	return nil
}

func marshal(row map[string]any, column string, value any) error {
	text, err := json.Marshal(value)
	if err != nil {
		return fmt.Errorf("write the column %s: %w", column, err)
	}
	row[column] = string(text)
	return nil
}

// object changes the JSON object of a column.
func object(row map[string]any, column string, change func(document)) error {
	value := document{}
	if err := unmarshal(row, column, &value); err != nil {
		return err
	}
	if value == nil {
		value = document{}
	}
	change(value)
	return marshal(row, column, value)
}

// document is a JSON object whose readers take a name in any case of letters, as encoding/json
// does: a name that differs in case alone is the same one here too.
type document map[string]any

func (d document) get(name string) any {
	for _, n := range slices.Sorted(maps.Keys(d)) {
		if strings.EqualFold(n, name) {
			return d[n]
		}
	}
	return nil
}

func (d document) remove(name string) {
	maps.DeleteFunc(d, func(n string, _ any) bool { return strings.EqualFold(n, name) })
}

func (d document) set(name string, value any) {
	d.remove(name)
	d[name] = value
}
