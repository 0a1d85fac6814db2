package stream

import (
	"context"
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/repository/suite"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// TestTheLogOfTheseTests: it keeps the rules of the databases' logs.
func TestTheLogOfTheseTests(t *testing.T) {
	suite.RunEventLog(t, func(*testing.T) suite.Logged {
		log := suite.NewMemoryLog()
		return suite.Logged{EventLog: log, Workspace: suite.Workspace, Add: func(sessions ...string) {
			for _, id := range sessions {
				kind := domain.LogNotice
				if id == "" {
					kind = domain.LogQueueChanged
				}
				log.Append(event(id, kind))
			}
		}, Prune: func() {
			_, newest, _ := log.EventBounds(t.Context(), suite.Workspace)
			log.Prune(newest, "")
		}}
	})
}

func event(session string, t domain.LogType) *domain.LogEvent {
	return &domain.LogEvent{SessionID: session, Type: t}
}

func started(t *testing.T, c Config) *Broker {
	t.Helper()
	b := New(c)
	if err := b.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := b.Stop(context.Background()); err != nil {
			t.Error(err)
		}
	})
	return b
}

// drain reads until there is nothing left and says it in short: "3:message.created",
// or for what has no id the name and its data.
func drain(t *testing.T, r *Reader) []string {
	t.Helper()
	var out []string
	for {
		events, more, err := r.Next(t.Context())
		for _, e := range events {
			out = append(out, short(e))
		}
		if err != nil {
			return append(out, err.Error())
		}
		if !more {
			return out
		}
	}
}

func short(e *Event) string {
	if e.Seq > 0 {
		return fmt.Sprintf("%d:%s", e.Seq, e.Name)
	}
	var text Text
	if json.Unmarshal(e.Body, &text) == nil && text.MessageID != "" && text.Kind != "" {
		return fmt.Sprintf("%s %s@%d %q", e.Name, text.Kind, text.Offset, text.Text)
	}
	return e.Name
}

const gather = 30 * time.Millisecond

func newestOf(t *testing.T, log *suite.MemoryLog) int64 {
	t.Helper()
	_, newest, err := log.EventBounds(t.Context(), suite.Workspace)
	if err != nil {
		t.Fatal(err)
	}
	return newest
}
