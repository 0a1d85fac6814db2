package rounds

import (
	"strings"
	"testing"

	"github.com/fermata-dev/fermata/api"
	"github.com/fermata-dev/fermata/domain"
)

// A round that is followed from its beginning and ends normally with an answer has the progress that the
// record has. All other rounds are read from the record.
func TestLiveProgressMatchesTheRecord(t *testing.T) {
	const (
		mine   = `message.created {"message":{"id":"m","round_id":"r","sender":"USER","status":"stored"}}`
		waits  = `message.created {"message":{"id":"m","sender":"USER","status":"queued"}}`
		placed = `message.updated {"message":{"id":"m","round_id":"r","sender":"USER","status":"stored"}}`
		hello  = `message.created {"message":{"sender":"AI","round_id":"r","status":"stored","ai_message":{"pre_text":"Hello."}}}`
		bye    = `message.created {"message":{"sender":"AI","round_id":"r","status":"stored","text_content":"Bye."}}`
		silent = `message.created {"message":{"sender":"AI","round_id":"r","status":"stored","ai_message":{"pre_text":""}}}`
		cut    = `message.created {"message":{"sender":"AI","round_id":"r","status":"interrupted","text_content":"By"}}`
		before = `message.created {"message":{"sender":"AI","round_id":"q","status":"stored","text_content":"Of another."}}`
		done   = `message.created {"message":{"sender":"SYSTEM","round_id":"r","system_message":{"type":"ACTIONS_EXECUTED"}}}`
		undone = `message.deleted {"message":{"sender":"SYSTEM","round_id":"r","system_message":{"type":"VALIDATION_CANCELLED"}}}`
		failed = `message.created {"message":{"sender":"SYSTEM","round_id":"r","system_message":{"type":"NETWORK_ERROR"}}}`
		gone   = `message.deleted {"message":{"id":"m","sender":"USER","status":"queued"}}`
		answer = `message.created {"message":{"id":"n","sender":"USER","round_id":"r","status":"stored"}}`
		next   = `message.created {"message":{"id":"n","sender":"USER","round_id":"s","status":"stored"}}`
		rests  = `session.status {"session":{"name":"A talk","status":"idle","phase":"IDLE","round_id":"r"}}`
		others = `session.status {"session":{"status":"idle","phase":"IDLE","round_id":"q"}}`
		asks   = `session.status {"session":{"status":"requires_action","phase":"WAITING_VALIDATION","round_id":"r"}}`
		works  = `session.status {"session":{"status":"running","phase":"CALLING_AI","round_id":"r"}}`
		ends   = `session.ended {"session":{"status":"ended","phase":"COMPLETED","round_id":"r"}}`
		again  = `answers.changed {"superseded":["x"]}`
	)
	for name, c := range map[string]struct {
		events []string
		text   string // of a round that need not be read; "" has to be
	}{
		"an answer":                       {[]string{mine, works, hello, rests}, "Hello."},
		"two":                             {[]string{mine, hello, done, bye, rests}, "Hello.\n\nBye."},
		"the last one silent":             {[]string{mine, hello, done, silent, rests}, "Hello."},
		"asked on the way":                {[]string{mine, hello, asks, undone, works, bye, rests}, "Hello.\n\nBye."},
		"it waited its turn":              {[]string{waits, before, others, placed, works, bye, rests}, "Bye."},
		"not at rest":                     {[]string{mine, works, hello}, ""},
		"it asks":                         {[]string{mine, hello, asks}, ""},
		"at rest, and at work":            {[]string{mine, hello, rests, works}, ""},
		"nothing was said":                {[]string{mine, works, rests}, ""},
		"said in another round":           {[]string{mine, before, rests}, ""},
		"cut":                             {[]string{mine, cut, rests}, ""},
		"failed":                          {[]string{mine, hello, failed, rests}, ""},
		"failed, then not":                {[]string{mine, failed, hello, rests}, ""},
		"withdrawn":                       {[]string{waits, gone, rests}, ""},
		"a question was answered":         {[]string{mine, hello, answer, bye, rests}, ""},
		"another round":                   {[]string{mine, hello, next, rests}, ""},
		"another one's rest":              {[]string{mine, hello, others}, ""},
		"the session is over":             {[]string{mine, hello, ends, rests}, ""},
		"tried again":                     {[]string{mine, hello, again, rests}, ""},
		"not followed from its beginning": {[]string{hello, rests}, ""},
	} {
		h := &liveRound{
			initial:  &Progress{Session: &domain.Session{ID: "s", Phase: domain.CallingAI}, Message: &domain.Message{ID: "m"}},
			position: func() int64 { return 7 },
		}
		for _, line := range c.events {
			kind, body, _ := strings.Cut(line, " ")
			e, err := api.DecodeEvent(kind, []byte(body))
			if err != nil {
				t.Fatal(name, err)
			}
			h.take(e)
		}
		at := h.progress()
		switch {
		case c.text == "" && at != nil:
			t.Errorf("%s: it is not read, and its progress is %+v", name, at)
		case c.text != "" && at == nil:
			t.Errorf("%s: it has to be read", name)
		case at != nil && (at.State != Completed || at.Text != c.text || at.Session.Name != "A talk" || at.Session.Status() != domain.StatusIdle ||
			at.Session.LastSeq != 7 || at.Session.ID != "s"):
			t.Errorf("%s: its progress is %+v of %+v", name, at, at.Session)
		}
		if h.initial.Session.Phase != domain.CallingAI {
			t.Errorf("%s: the session that others hold was changed", name)
		}
	}
}
