package notify

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/notify/webhooks"
)

// asking is a workspace with what was asked in it.
type asking struct {
	settings domain.Settings
	all      []*domain.Approval
}

func (a *asking) Workspace(context.Context, string) (*domain.Workspace, error) {
	return &domain.Workspace{ID: "default", Settings: a.settings}, nil
}

func (a *asking) Approval(_ context.Context, _, id string) (*domain.Approval, error) {
	for _, one := range a.all {
		if one.ID == id {
			return one, nil
		}
	}
	return nil, domain.NotFound("approval")
}

func (a *asking) ApprovalsBetween(_ context.Context, _ string, from, to time.Time) (out []*domain.Approval, err error) {
	for _, one := range a.all {
		if !one.CreatedAt.Before(from) && one.CreatedAt.Before(to) {
			out = append(out, one)
		}
	}
	return out, nil
}

func event(id string) *domain.LogEvent {
	return &domain.LogEvent{Type: domain.LogApprovalRequested, Data: fmt.Appendf(nil, `{"approval":{"id":%q}}`, id)}
}

// What came in the quiet hours is sent once, at their end, as far as it is still open.
func TestTheQuietHoursAreAnnouncedOnce(t *testing.T) {
	zone, err := time.LoadLocation("Europe/Paris")
	if err != nil {
		t.Fatal(err)
	}
	day := func(d, hour, minute int) time.Time { return time.Date(2026, 3, d, hour, minute, 0, 0, zone) }
	w := &asking{settings: domain.Settings{Language: "en", TimeZone: "Europe/Paris", Notifications: domain.Notifications{
		QuietHours: &domain.QuietHours{From: "22:00", To: "07:00"}}}}
	for id, at := range map[string]time.Time{"early": day(2, 21, 59), "first": day(2, 22, 0), "second": day(3, 2, 0), "late": day(3, 7, 0)} {
		w.all = append(w.all, &domain.Approval{ID: id, Kind: domain.ApprovalActions, Status: domain.ApprovalStatusOpen, CreatedAt: at})
	}
	sortByTime(w.all)
	now := day(3, 3, 0)
	n := &Composer{Store: w, Workspaces: w, Clock: func() time.Time { return now }, Link: func(a *domain.Approval, to string) (string, error) { return to + "/" + a.ID, nil }}
	for _, a := range w.all {
		if _, o := n.of(t.Context(), event(a.ID), "ada"); o == nil || o.Result != webhooks.Held || !o.HeldUntil.Equal(day(3, 7, 0)) {
			t.Errorf("%s at night: %+v", a.ID, o)
		}
	}
	now = day(3, 7, 0)
	for id, links := range map[string]string{"early": "ada/early", "first": "ada/first ada/second", "second": "", "late": "ada/late", "gone": ""} {
		m, o := n.of(t.Context(), event(id), "ada")
		if links == "" {
			if o == nil || o.Result != webhooks.Delivered {
				t.Errorf("%s in the morning: %+v, %+v", id, m, o)
			}
			continue
		}
		if o != nil || strings.Join(m.links, " ") != links {
			t.Errorf("%s in the morning: %+v, %+v", id, m, o)
		}
	}
	w.all[1].Status = domain.ApprovalStatusApproved // the first: the news of the second still come with it
	m, o := n.of(t.Context(), event("first"), "ada")
	if o != nil || strings.Join(m.links, " ") != "ada/second" || m.title() != "A change needs your approval" {
		t.Errorf("%+v, %+v", m, o)
	}
	w.all[2].ExpiresAt = new(now)
	if _, o := n.of(t.Context(), event("first"), "ada"); o == nil || o.Result != webhooks.Delivered {
		t.Errorf("of what cannot be answered any more: %+v", o)
	}
}

func sortByTime(all []*domain.Approval) {
	for i := range all {
		for j := i + 1; j < len(all); j++ {
			if all[j].CreatedAt.Before(all[i].CreatedAt) {
				all[i], all[j] = all[j], all[i]
			}
		}
	}
}

// Quiet hours are those of the workspace's day, also where a day has 23 hours or 25.
func TestQuietHoursOfADay(t *testing.T) {
	zone, err := time.LoadLocation("Europe/Paris")
	if err != nil {
		t.Fatal(err)
	}
	night, noon := &domain.QuietHours{From: "22:00", To: "07:00"}, &domain.QuietHours{From: "12:00", To: "13:30"}
	for text, want := range map[string]struct {
		q     *domain.QuietHours
		end   string
		quiet bool
	}{
		"2026-03-28T23:00:00+01:00": {night, "2026-03-29T07:00:00+02:00", true}, // an hour is left out
		"2026-03-29T06:59:59+02:00": {night, "2026-03-29T07:00:00+02:00", true},
		"2026-03-29T07:00:00+02:00": {night, "", false},
		"2026-10-25T02:30:00+01:00": {night, "2026-10-25T07:00:00+01:00", true}, // an hour came twice
		"2026-03-02T12:00:00+01:00": {noon, "2026-03-02T13:30:00+01:00", true},
		"2026-03-02T13:30:00+01:00": {noon, "", false},
		"2026-03-02T11:59:59+01:00": {noon, "", false},
		"2026-03-02T11:00:00+01:00": {nil, "", false},
	} {
		at, err := time.Parse(time.RFC3339, text)
		if err != nil {
			t.Fatal(err)
		}
		_, end, quiet := want.q.Around(at, zone)
		if quiet != want.quiet || quiet && end.Format(time.RFC3339) != want.end {
			t.Errorf("%s: %t until %s", text, quiet, end.Format(time.RFC3339))
		}
	}
}

func TestAddressesOfMailServers(t *testing.T) {
	for text, want := range map[string]mailServer{
		"smtp://mail.example.org":             {Host: "mail.example.org", Port: 587},
		"smtps://ada:p%40ss@mail.example.org": {Host: "mail.example.org", Port: 465, User: "ada", Password: "p@ss", Encrypted: true},
		"smtp://ada:secret@127.0.0.1:2525":    {Host: "127.0.0.1", Port: 2525, User: "ada", Password: "secret", Plain: true},
		"smtp://mail.example.org:25/":         {Host: "mail.example.org", Port: 25},
	} {
		if got, err := parseMailServer(text); err != nil || *got != want {
			t.Errorf("%s: %+v, %v", text, got, err)
		}
	}
	for _, bad := range []string{"", "mail.example.org:25", "http://mail.example.org", "smtp://", "smtp://ada:secret@mail.example.org:99999", "smtp://ada:secret@x/y", "smtp://ada:secret@x?tls=no", "smtp://ada:%zz@x"} {
		if got, err := parseMailServer(bad); err == nil || strings.Contains(err.Error(), "secret") {
			t.Errorf("%s: %+v, %v", bad, got, err)
		}
	}
}
