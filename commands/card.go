package commands

import (
	"bytes"
	"cmp"
	"encoding/json"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/domain/userdata"
	"github.com/fermata-dev/fermata/internal/jsonbody"
)

// card describes what an action would do, made from the command and its parameters, never from the model's
// text: what a person is shown, and what requires their approval.
type card struct {
	text     domain.Text
	before   json.RawMessage
	after    json.RawMessage
	warnings []domain.Text
	// afterIn is after by language, where it holds words of the server.
	afterIn map[string]json.RawMessage
	zones   []*userdata.Zone // whose require_validation applies
	tools   []*userdata.Tool
	terms
	// asks is the reason if the command's settings require an approval. A run's policy can waive it.
	asks domain.Text
	// sensitive actions are approved with a passkey.
	sensitive bool
	// outside: another server carries it out.
	outside bool
	// version of the record that is changed; empty for a new one.
	version string
}

// terms are the conditions of approval that follow from the command and its parameters alone.
// They are computed without reading any data, so that no failed read can drop one of them.
type terms struct {
	// always is the reason if the command requires an approval each time; empty otherwise. person is
	// one that neither a policy nor a grant can waive.
	always, person domain.Text
	// lasts: the result acts later without the person, or is part of every session's prompt. After the
	// session has read external content, a person approves it.
	lasts bool
}

// with adds the terms of a command to those of its card.
func (t terms) with(own terms) terms {
	return terms{cmp.Or(t.always, own.always), cmp.Or(t.person, own.person), t.lasts || own.lasts}
}

// fixedTerms are the terms of a command that do not depend on its parameters.
func (c *command) fixedTerms(of func() terms) *command {
	c.terms = func(*call) terms { return of() }
	return c
}

// forceTerms are those of a deletion: with force it always requires an approval. Parameters that
// cannot be decoded count as forced.
func (c *command) forceTerms() *command {
	c.terms = func(t *call) terms {
		var p struct {
			Force bool `json:"force"`
		}
		if err := json.Unmarshal(t.params, &p); err == nil && !p.Force {
			return terms{}
		}
		return terms{always: domain.Say(
			"A deletion with all that it holds always asks.",
			"Une suppression avec tout le contenu demande toujours un accord.",
		)}
	}
	return c
}

// sentAlways records that every session will read what the action writes. A person is warned if that is
// new, or if external content may have led to it.
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
	made    *domain.Change // of the automation that it made, to be written with the outcome; nil: none
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

// changed is the result of an action on one record: the text is for the AI, the summary for people.
func changed(id string, change domain.DataChange, text string, summary domain.Text) (done, error) {
	return done{text: text, result: jsonbody.Encode(changedID{id}), summary: summary, changes: []domain.DataChange{change}}, nil
}
