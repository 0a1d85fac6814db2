package rounds

import (
	"fmt"
	"strings"
	"testing"

	"github.com/fermata-dev/fermata/api"
)

// The events of a round say how it ended, at which event, and which of them are a part of its answer.
func TestOutcome(t *testing.T) {
	const (
		placed    = `message.updated {"message":{"id":"m","round_id":"r","sender":"USER","status":"stored"}}`
		gone      = `message.deleted {"message":{"id":"m","sender":"USER","status":"queued"}}`
		calls     = `session.phase {"phase":"CALLING_AI","status":"running","round_id":"r","event":"UserMessageSent"}`
		text      = `message.delta {"kind":"text","message_id":"a","text":"He"}`
		hello     = `message.created {"message":{"id":"a","sender":"AI","round_id":"r","status":"stored","text_content":"Hello."}}`
		short     = `message.created {"message":{"id":"a","sender":"AI","round_id":"r","status":"stored","text_content":"He","ai_raw":{"stop_reason":"length"}}}`
		cut       = `message.created {"message":{"id":"a","sender":"AI","round_id":"r","status":"interrupted","text_content":"He"}}`
		limit     = `message.created {"message":{"sender":"SYSTEM","round_id":"r","system_message":{"type":"LIMIT_REACHED","summary":"It is reached."}}}`
		failed    = `message.created {"message":{"sender":"SYSTEM","round_id":"r","system_message":{"type":"NETWORK_ERROR","summary":"No."}}}`
		other     = `message.created {"message":{"id":"b","sender":"AI","round_id":"q","status":"stored","text_content":"Of another."}}`
		used      = `usage.updated {"roundtrip":{"round_id":"r","usage":{"input_tokens":3}}}`
		asks      = `approval.requested {"approval":{"id":"apr_1","kind":"actions","status":"open"}}`
		waits     = `session.phase {"phase":"WAITING_VALIDATION","status":"requires_action","round_id":"r","event":"AIResponseReceived"}`
		refused   = `approval.settled {"approval":{"id":"apr_1","kind":"actions","status":"refused"}}`
		approved  = `approval.settled {"approval":{"id":"apr_1","kind":"actions","status":"approved"}}`
		client    = `approval.requested {"approval":{"id":"apr_2","kind":"client_calls","status":"open"}}`
		idle      = `session.phase {"phase":"IDLE","status":"idle","round_id":"r","event":"AIResponseReceived"}`
		stopped   = `session.phase {"phase":"IDLE","status":"idle","round_id":"r","event":"InterruptRequested"}`
		rejected  = `session.phase {"phase":"IDLE","status":"idle","round_id":"r","event":"SystemErrorOccurred"}`
		retried   = `session.phase {"phase":"CALLING_AI","status":"running","round_id":"r2","event":"RoundRequested"}`
		activated = `session.phase {"phase":"WAITING_COMMUNICATION_RESPONSE","status":"requires_action","round_id":"r","event":"SessionActivationRequested"}`
		next      = `session.phase {"phase":"CALLING_AI","status":"running","round_id":"s","event":"UserMessageSent"}`
		ends      = `session.ended {"session":{"status":"ended","phase":"COMPLETED","round_id":"r"}}`
	)
	for name, c := range map[string]struct {
		events []string
		want   string
	}{
		"an answer":                 {[]string{calls, text, hello, used, idle}, "ends at 5, parts 3, used 3"},
		"events of the next round":  {[]string{hello, idle, next, other}, "ends at 2, parts 1"},
		"the next round begins":     {[]string{hello, next}, "ends at 2, parts 1"},
		"the session ends":          {[]string{hello, ends}, "ends at 2, parts 1"},
		"no end yet":                {[]string{calls, text}, "parts 2"},
		"queued":                    {[]string{other, text, placed, calls, hello, idle}, "ends at 6, parts 2"},
		"withdrawn":                 {[]string{other, gone}, "ends at 2, parts 0, withdrawn, conflict"},
		"a limit of tokens":         {[]string{short, idle}, "ends at 2, parts 1, truncated"},
		"a limit":                   {[]string{hello, limit, idle}, "ends at 3, parts 2, truncated"},
		"interrupted in an answer":  {[]string{cut, stopped}, "ends at 2, parts 1, interrupted"},
		"interrupted before it":     {[]string{calls, stopped}, "ends at 2, parts 1, interrupted"},
		"an approval":               {[]string{hello, asks, waits}, "ends at 3, parts 1, waits for apr_1"},
		"a refused approval":        {[]string{hello, asks, waits, refused, idle}, "ends at 3, parts 1, rejected"},
		"an approved one":           {[]string{hello, asks, waits, approved, calls, hello, idle}, "ends at 7, parts 3"},
		"calls of the client":       {[]string{client, waits}, "ends at 2, parts 0, waits for apr_2"},
		"up to calls of the client": {[]string{"stop at calls", client, waits, calls, hello, idle}, "ends at 3, parts 0, waits for apr_2"},
		"results that waited":       {[]string{activated, calls, hello, idle}, "ends at 4, parts 2"},
		"a failure":                 {[]string{calls, failed, idle}, "ends at 3, parts 2, failed, provider_failed"},
		"a final failure":           {[]string{calls, failed, rejected}, "ends at 3, parts 2, failed, final, provider_failed"},
		"a failure that is retried": {[]string{failed, idle, retried}, "ends at 2, parts 2"},
		"a failure, then another":   {[]string{failed, idle, next}, "ends at 2, parts 1, failed, superseded, provider_failed"},
	} {
		o := Outcome{message: "m", round: "r"}
		switch name {
		case "queued", "withdrawn":
			o.round = ""
		case "up to calls of the client":
			o.stopAtCalls = true
		}
		parts := 0
		for i, line := range c.events {
			kind, body, _ := strings.Cut(line, " ")
			e, err := api.DecodeEvent(kind, []byte(body))
			if i == 0 && o.stopAtCalls {
				continue
			}
			if err != nil {
				t.Fatal(name, err)
			}
			if e.SessionSeq = int64(i + 1); o.take(e) {
				parts++
			}
		}
		if got := described(&o, parts); got != c.want {
			t.Errorf("%s: %s, want %s", name, got, c.want)
		}
	}
}

// described returns an outcome as text.
func described(o *Outcome, parts int) string {
	var all []string
	add := func(is bool, text string) {
		if is {
			all = append(all, text)
		}
	}
	add(o.EndSeq > 0, fmt.Sprintf("ends at %d", o.EndSeq))
	add(true, fmt.Sprintf("parts %d", parts))
	add(o.Usage.InputTokens > 0, fmt.Sprintf("used %d", o.Usage.InputTokens))
	add(o.waits(), "waits for "+o.approvalID)
	add(o.Rejected != nil, "rejected")
	add(o.Failure != "", "failed")
	add(o.Final, "final")
	add(o.superseded, "superseded")
	add(o.Truncated, "truncated")
	add(o.Withdrawn, "withdrawn")
	add(o.Interrupted, "interrupted")
	err := o.Err()
	add(err != nil, strings.SplitN(fmt.Sprint(err), ":", 2)[0])
	return strings.Join(all, ", ")
}
