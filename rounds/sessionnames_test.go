package rounds

import (
	"context"
	"testing"
	"time"

	"github.com/fermata-dev/fermata/domain"
)

// named finds one session by each name, and counts how often it was asked.
type named struct {
	ids   map[string]string
	calls int
}

func (n *named) SessionByExternalID(_ context.Context, ws, of string) (*domain.Session, error) {
	n.calls++
	if id := n.ids[ws+" "+of]; id != "" {
		return &domain.Session{ID: id}, nil
	}
	return nil, domain.NotFound("session")
}

// A name is looked up once; again when its session took nothing any more, or after a while. What is
// not there is not remembered, and a name of one workspace is none of another.
func TestNames(t *testing.T) {
	now := time.Unix(1_800_000_000, 0)
	record := &named{ids: map[string]string{"a talk": "ses_1", "b talk": "ses_2"}}
	names := NewSessionNames(func() time.Time { return now })
	for _, step := range []struct {
		does      func()
		ws, name  string
		id        string
		lookedFor int
	}{
		{func() {}, "a", "talk", "ses_1", 1},
		{func() {}, "a", "talk", "ses_1", 1},
		{func() {}, "b", "talk", "ses_2", 2},
		{func() {}, "a", "none", "", 3},
		{func() { record.ids["a none"] = "ses_3" }, "a", "none", "ses_3", 4},
		{func() { names.ForgetMissing("a", "talk", domain.Errorf(domain.CodeQueueFull, "full")) }, "a", "talk", "ses_1", 4},
		{func() { record.ids["a talk"] = "ses_4"; names.ForgetMissing("b", "talk", domain.NotFound("session")) }, "a", "talk", "ses_1", 4},
		{func() { names.ForgetMissing("a", "talk", domain.NotFound("session")) }, "a", "talk", "ses_4", 5},
		{func() { record.ids["a talk"] = "ses_5"; now = now.Add(namesTTL) }, "a", "talk", "ses_5", 6},
	} {
		step.does()
		id, err := names.Session(t.Context(), record, step.ws, step.name)
		if id != step.id || (err == nil) != (step.id != "") || record.calls != step.lookedFor {
			t.Errorf("%s, %s is %q (%v) after %d looks, want %+v", step.ws, step.name, id, err, record.calls, step)
		}
	}
}
