package automations

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/domain/automation"
	"github.com/fermata-dev/fermata/handlers/edge"
)

// query is a GET with these parameters.
func query(text string) *http.Request {
	return httptest.NewRequest(http.MethodGet, "/?"+text, http.NoBody)
}

// rejects expects an error about one parameter.
func rejects(t *testing.T, text, pointer string, err error) {
	t.Helper()
	invalid, ok := errors.AsType[*domain.Error](err)
	if !ok || len(invalid.Fields) != 1 || invalid.Fields[0].Pointer != pointer {
		t.Errorf("%s: %v, want an error about %s", text, err, pointer)
	}
}

func TestRunsAreFiltered(t *testing.T) {
	since := time.Date(2026, 3, 2, 6, 30, 0, 0, time.UTC)
	for text, want := range map[string]domain.SessionFilter{
		"": {},
		"automation_id=aut_1&end_reason=COMPLETED&trigger=MANUAL": {AutomationID: "aut_1", EndReason: domain.EndCompleted, Trigger: domain.ByHand},
		"since=2026-03-02T07:30:00%2B01:00":                       {Since: since},
		"since=2026-03-02T07:30:00+01:00":                         {Since: since}, // not escaped
		"until=2026-03-02T06:30:00Z&after=cursor":                 {Until: since, Cursor: "cursor"},
	} {
		got, err := runFilter(query(text))
		if want.Limit = got.Limit; err != nil || got.Limit < 1 || !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %+v %v, want %+v", text, got, err, want)
		}
	}
	for text, pointer := range map[string]string{
		"status=asleep": "/status", "end_reason=completed": "/end_reason", "trigger=chance": "/trigger",
		"since=yesterday": "/since", "until=2026-03-02": "/until", "limit=0": "/limit", "after=" + strings.Repeat("a", 5000): "/after",
	} {
		_, err := runFilter(query(text))
		rejects(t, text, pointer, err)
	}
}

func TestOccurrencesAreFiltered(t *testing.T) {
	got, err := occurrenceFilter(query("automation_id=aut_1&states=FIRED,SKIPPED,FIRED&until=2026-03-02T06:30:00Z"))
	want := automation.OccurrenceFilter{
		AutomationID: "aut_1", States: []automation.OccurrenceState{automation.OccurrenceFired, automation.OccurrenceSkipped},
		Until: time.Date(2026, 3, 2, 6, 30, 0, 0, time.UTC), Limit: got.Limit,
	}
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%+v %v, want %+v", got, err, want)
	}
	for text, pointer := range map[string]string{"states=FIRED,": "/states", "states=fired": "/states", "since=x": "/since", "limit=x": "/limit"} {
		_, err := occurrenceFilter(query(text))
		rejects(t, text, pointer, err)
	}
}

// A service chooses the challenge: what is sent back must not be read as anything but text.
func TestAChallengeIsVisibleASCII(t *testing.T) {
	long := strings.Repeat("a", maxChallenge)
	for text, want := range map[string]string{
		"": "", "abc~!": "abc~!", "a b": "", "a\nb": "", "é": "", "\x7f": "", long: long, long + "a": "",
	} {
		if got := plainChallenge(text); got != want {
			t.Errorf("the challenge %.20q is answered with %.20q, want %.20q", text, got, want)
		}
	}
}

func TestOnlyASessionIsARun(t *testing.T) {
	for id, want := range map[string]bool{"ses_1": true, "": false, "session": false, "aut_1": false} {
		if got := madeRun(&edge.KeyClaim{CreatedID: id}); got != want {
			t.Errorf("%q is a run: %v", id, got)
		}
	}
}
