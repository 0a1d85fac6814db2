package suite

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/domain/reports"
	"github.com/fermata-dev/fermata/domain/userdata"
	"github.com/fermata-dev/fermata/repository"
)

// longPages: a page ends where its rows grow too long, whatever its limit, and the pages
// together are still the whole, each item once and in order.
func longPages(w *world) {
	ctx, long := w.Context(), strings.Repeat("a", 1<<20)
	s := w.stored("long")
	for i := range 6 {
		c := w.change(s)
		text := long
		if i == 3 {
			text = strings.Repeat("b", domain.PageBytes+1) // longer than a page: a page of its own
		}
		w.say(c, s, domain.SenderUser, text)
		w.ok(w.Commit(ctx, c))
	}
	for i := range 3 {
		w.mail(s, fmt.Sprintf("waits-%d", i))
	}
	size := func(m *domain.Message) int { return len(m.Text) }
	for _, latest := range []bool{false, true} {
		all := paged(w, size, func(cursor string) ([]*domain.Message, string, error) {
			return w.Sessions.MessagePage(ctx, s, cursor, 200, latest)
		})
		one := paged(w, size, func(cursor string) ([]*domain.Message, string, error) {
			return w.Sessions.MessagePage(ctx, s, cursor, 1, latest)
		})
		want, err := w.Sessions.Messages(ctx, s.WorkspaceID, s.ID, 0, 0)
		w.ok(err)
		if latest {
			slices.Reverse(want)
		}
		for i, list := range [][]*domain.Message{all, one} {
			if !slices.EqualFunc(list, want, func(a, b *domain.Message) bool { return a.ID == b.ID }) {
				w.Fatalf("latest first %t, by pages of %d: %d messages of %d, or in another order", latest, []int{200, 1}[i], len(list), len(want))
			}
		}
	}
	events := paged(w, func(e *domain.LogEvent) int { return len(e.Data) }, func(cursor string) ([]*domain.LogEvent, string, error) {
		var after int64
		if cursor != "" {
			_, err := fmt.Sscan(cursor, &after)
			w.ok(err)
		}
		page, more, err := w.Events.Events(ctx, s.WorkspaceID, "", after, domain.PageSize{Rows: 200})
		if !more || err != nil {
			return page, "", err
		}
		return page, fmt.Sprint(page[len(page)-1].Seq), nil
	})
	for i, e := range events {
		w.equal(e.Seq, int64(i+1), "the number of an event")
	}
}

// paged turns all pages, each of which must keep the bound.
func paged[T any](w *world, size func(T) int, read func(cursor string) ([]T, string, error)) (all []T) {
	w.Helper()
	for cursor := ""; ; {
		page, next, err := read(cursor)
		w.ok(err)
		sum := 0
		for _, item := range page {
			sum += size(item)
		}
		if len(page) == 0 && next != "" || sum > domain.PageBytes && len(page) > 1 {
			w.Fatalf("a page has %d items of %d bytes, and continues at %q", len(page), sum, next)
		}
		all = append(all, page...)
		if cursor = next; next == "" {
			return all
		}
	}
}

// longRecord: the lists of a session's record and of the user's data keep the same bound.
func longRecord(w *world) {
	ctx, long := w.Context(), strings.Repeat("x", 1<<20)
	s := w.stored("long")
	for i := range 6 {
		c := w.change(s)
		c.Executions = []*domain.Execution{{
			ID: w.newID(domain.PrefixExecution), WorkspaceID: s.WorkspaceID, SessionID: s.ID, MessageID: "msg_1", Position: i,
			Command: "ZONES", Params: json.RawMessage(`{}`), Kind: domain.KindQuery, Effect: domain.EffectRead, Status: domain.ExecSuccess,
			Text: long, CreatedAt: T0.Add(time.Duration(i) * time.Second),
		}}
		w.move(c, s, domain.CallingAI, "x")
		w.ok(w.Commit(ctx, c))
	}
	lines := paged(w, func(l reports.RecordLine) int {
		if l.Execution == nil {
			return 0
		}
		return len(l.Execution.Text)
	}, func(cursor string) ([]reports.RecordLine, string, error) {
		return w.Records.Timeline(ctx, s.WorkspaceID, s.ID, reports.TimelineFilter{Whole: true, Limit: 200, Cursor: cursor})
	})
	w.equal(len(lines), 12, "lines of the timeline")
	w.write(func(ctx context.Context, d *repository.Data) error {
		err := errors.Join(d.InsertZone(ctx, zone("zon_1", "Health")), d.InsertTool(ctx, tool("tol_1", "zon_1", "Weight")))
		for i := range 6 {
			id := fmt.Sprintf("ent_%d", i)
			err = errors.Join(err, d.InsertEntries(ctx, []userdata.Entry{entry(id, "tol_1", T0, `{"text":"`+long+`"}`)}))
		}
		return err
	})
	entries := paged(w, func(e userdata.Entry) int { return len(e.Data) }, func(cursor string) ([]userdata.Entry, string, error) {
		return w.ReadData(s.WorkspaceID).Entries(ctx, userdata.EntryFilter{ToolID: "tol_1", Limit: 200, Cursor: cursor})
	})
	w.equal(len(entries), 6, "entries")
}

// briefInbox: a decision is shown the messages that wait without what they say, and gets
// that only when it asks.
func briefInbox(w *world) {
	s := w.stored("busy")
	item := w.mail(s, "these words")
	asked := 0
	_, err := w.Decide(w.Context(), s.WorkspaceID, s.ID, nil, func(_ context.Context, v *domain.View) (*domain.Change, error) {
		asked++
		w.equal(len(v.Inbox), 1, "what waits")
		brief := *item.Message
		brief.Text = ""
		if asked == 1 {
			w.equal([]any{v.InboxBrief, v.Inbox[0].Message, v.Inbox[0].Bytes}, []any{true, &brief, len("these words")}, "in brief")
			return nil, fmt.Errorf("decide: %w", domain.ErrInboxBrief)
		}
		w.equal([]any{v.InboxBrief, v.Inbox[0].Message}, []any{false, item.Message}, "in full")
		return nil, nil
	})
	w.ok(err)
	w.equal(asked, 2, "times asked")
}
