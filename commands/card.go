package commands

import (
	"bytes"
	"encoding/json"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/internal/jsonbody"
)

// card is what an action would do, made from the command and its params and never
// from the model's own words: what a person is shown, and what asks for their yes.
type card struct {
	text     domain.Text
	before   json.RawMessage
	after    json.RawMessage
	warnings []domain.Text
	// afterIn is after by language, where it holds words of the server.
	afterIn map[string]json.RawMessage
	zones   []*domain.Zone // whose require_validation counts
	tools   []*domain.Tool
	// always says why this command asks each time; empty: it does not. asks does so too, as a
	// setting of the command that a run's policy may stand for; person, where neither a policy
	// nor a grant may.
	always, asks, person domain.Text
	// lasts: what it leaves behind acts by itself later on or stands in the prompt of every session,
	// so that words from outside that led to it would too.
	lasts bool
	// sensitive: the yes is signed with a passkey.
	sensitive bool
	// outside: another server carries it out.
	outside bool
	// version of the record that is changed; empty for a new one.
	version string
}

// sentAlways notes that every session will read what the action writes. A person is warned where
// that is new, and where words from outside may have led to it.
func (d *card) sentAlways(env *Env, fresh bool) {
	d.lasts = true
	if fresh || env.Taint != nil {
		d.warnings = append(d.warnings, readByAll())
	}
}

func readByAll() domain.Text {
	return domain.Say("Every session will read it.", "Toutes les sessions le liront.")
}

// done is what an action did.
type done struct {
	text    string // for the AI
	result  json.RawMessage
	summary domain.Text // for people
	changes []domain.DataChange
}

// diff keeps of two views of a record the fields that differ.
func diff(before, after any) (json.RawMessage, json.RawMessage) {
	var old, now map[string]json.RawMessage
	if json.Unmarshal(jsonbody.Encode(before), &old) != nil || json.Unmarshal(jsonbody.Encode(after), &now) != nil {
		return jsonbody.Encode(before), jsonbody.Encode(after)
	}
	for name, value := range old {
		if bytes.Equal(value, now[name]) {
			delete(old, name)
			delete(now, name)
		}
	}
	return jsonbody.Encode(old), jsonbody.Encode(now)
}

// changedID is the result of an action on one record.
type changedID struct {
	ID string `json:"id"`
}

// undoRoom is how many bytes of earlier and present values a result takes with it.
const undoRoom = 8000

// changedFrom is the result of a change of one record: with the fields that differ as they were
// and are, so that a person can take it back; without them where they are long.
type changedFrom struct {
	changedID
	Before json.RawMessage `json:"before,omitempty"`
	After  json.RawMessage `json:"after,omitempty"`
}

// from adds to what an action did on one record what the record was.
func (d done) from(id string, before, after any) done {
	was, is := diff(before, after)
	if len(was)+len(is) <= undoRoom {
		d.result = jsonbody.Encode(changedFrom{changedID{id}, was, is})
	}
	return d
}

// changed is what came of an action on one record: the text is for the AI, the summary
// for people.
func changed(id string, change domain.DataChange, text string, summary domain.Text) (done, error) {
	return done{text: text, result: jsonbody.Encode(changedID{id}), summary: summary, changes: []domain.DataChange{change}}, nil
}
