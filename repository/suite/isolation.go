package suite

import (
	"context"
	"maps"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/domain/outside"
	"github.com/fermata-dev/fermata/domain/people"
	"github.com/fermata-dev/fermata/domain/reports"
	"github.com/fermata-dev/fermata/domain/userdata"
	"github.com/fermata-dev/fermata/repository"
)

// ask is one way to read or write, and an id of another workspace that it is asked
// with.
type ask struct {
	id string
	of func(id string) (any, error)
}

// us is the workspace that asks for what is another's.
const us = domain.DefaultWorkspace

// isolation: for every read and write, an id of another workspace gives exactly the same result as an unknown id.
func isolation(w *world) {
	s, m := theirs(w)
	asks := waysToRead(w, s, m)
	maps.Copy(asks, waysToWrite(w, s))
	for name, a := range asks {
		foreign, err1 := a.of(a.id)
		unknown, err2 := a.of("unknown-id")
		w.equal([]any{foreign, text(err1)}, []any{unknown, text(err2)}, name)
	}
	taken := s.Clone()
	taken.WorkspaceID = us
	if err := w.Commit(w.Context(), w.change(taken)); err == nil {
		w.Error("a session of another workspace was written")
	}
	lists, _, err := w.Events.Events(w.Context(), us, "", 0, domain.PageSize{Rows: 1000})
	w.ok(err)
	w.equal(len(lists), 0, "events of this workspace")
	zones, err := w.ReadData("other").Zones(w.Context())
	w.ok(err)
	w.equal([]any{len(zones), zones[0].Name}, []any{1, "z"}, "their zone, untouched")
	w.sound()
}

// theirs fills the other workspace with one of everything.
func theirs(w *world) (*domain.Session, *domain.Message) {
	s := w.stored("theirs", func(s *domain.Session) { s.WorkspaceID, s.ExternalID = "other", "ext" })
	c := w.change(s)
	m := w.say(c, s, domain.SenderUser, "secret")
	c.Approvals = []*domain.Approval{approval(s, "apr_1", domain.ApprovalOutcome)}
	c.Executions = []*domain.Execution{execution(s, "exe_1", m.ID, 0, domain.ExecSuccess)}
	c.Tasks = []*domain.Task{task("tsk_1", s)}
	w.ok(w.Commit(w.Context(), c))
	ctx := w.Context()
	w.ok(w.Providers.InsertProvider(ctx, &outside.Provider{ID: "prv_1", WorkspaceID: "other", CreatedAt: T0, UpdatedAt: T0}))
	w.ok(w.Keys.InsertKey(ctx, &people.Key{ID: "key_1", WorkspaceID: "other", Hash: "h", CreatedAt: T0}, nil))
	w.ok(w.Connectors.InsertConnector(ctx, connector("con_1", "ONE")))
	w.ok(w.Webhooks.InsertWebhook(ctx, webhook("other", "whk_1")))
	_, err := w.WriteData(ctx, "other", func(ctx context.Context, d *repository.Data) ([]domain.DataChange, error) {
		for _, err := range []error{
			d.InsertZone(ctx, zone("zon_1", "z")), d.InsertTool(ctx, tool("tol_1", "zon_1", "t")),
			d.InsertEntries(ctx, []userdata.Entry{entry("ent_1", "tol_1", T0, `{"value":1}`)}),
			d.PutDocument(ctx, &userdata.Document{ID: "doc_1", Key: "about", CreatedAt: T0, UpdatedAt: T0}),
			d.KeepDocumentVersion(ctx, "doc_1", &userdata.DocumentVersion{Version: 1, Body: "secret", PublishedAt: T0}),
			d.InsertToolType(ctx, &userdata.ToolType{ID: "run", CreatedAt: T0, UpdatedAt: T0}),
			d.InsertZone(ctx, zone("zon_gone", "g")), d.DeleteZone(ctx, "zon_gone", T0),
		} {
			if err != nil {
				return nil, err
			}
		}
		return nil, nil
	})
	w.ok(err)
	return s, m
}

func waysToRead(w *world, s *domain.Session, m *domain.Message) map[string]ask {
	ctx, data := w.Context(), w.ReadData(us)
	return map[string]ask{
		"Session": {s.ID, func(id string) (any, error) { return w.Sessions.Session(ctx, us, id) }},
		"Webhook": {"whk_1", func(id string) (any, error) { return w.Webhooks.Webhook(ctx, us, id) }},
		"StandingOf": {"whk_1", func(id string) (any, error) {
			return w.Webhooks.StandingOf(ctx, outside.WebhookRef{WorkspaceID: us, ID: id})
		}},
		"Deliveries": {"whk_1", func(id string) (any, error) {
			list, _, err := w.Webhooks.Deliveries(ctx, us, id, "", "", 10)
			return list, err
		}},
		"SessionByExternalID": {"ext", func(id string) (any, error) { return w.Sessions.SessionByExternalID(ctx, us, id) }},
		"View":                {s.ID, func(id string) (any, error) { return w.View(ctx, us, id) }},
		"Messages":            {s.ID, func(id string) (any, error) { return w.Sessions.Messages(ctx, us, id, 0, 0) }},
		"MessagePage": {s.ID, func(id string) (any, error) {
			list, _, err := w.Sessions.MessagePage(ctx, &domain.Session{ID: id, WorkspaceID: us}, "", 10, true)
			return list, err
		}},
		"Message": {m.ID, func(id string) (any, error) { return w.Sessions.Message(ctx, us, s.ID, id) }},
		"Events": {s.ID, func(id string) (any, error) {
			list, _, err := w.Events.Events(ctx, us, id, 0, domain.PageSize{})
			return list, err
		}},
		"Executions":  {s.ID, func(id string) (any, error) { return w.Records.Executions(ctx, us, id) }},
		"Execution":   {"exe_1", func(id string) (any, error) { return w.Records.Execution(ctx, us, id) }},
		"Transitions": {s.ID, func(id string) (any, error) { return w.Records.Transitions(ctx, us, id) }},
		"Roundtrips":  {s.ID, func(id string) (any, error) { return w.Records.Roundtrips(ctx, us, id) }},
		"Standing":    {s.ID, func(id string) (any, error) { return w.Sessions.Standing(ctx, us, id) }},
		"Timeline": {s.ID, func(id string) (any, error) {
			list, next, err := w.Records.Timeline(ctx, us, id, reports.TimelineFilter{})
			return []any{list, next}, err
		}},
		"SessionApprovals": {s.ID, func(id string) (any, error) {
			list, next, err := w.Approvals.SessionApprovals(ctx, us, id, "", 0)
			return []any{list, next}, err
		}},
		"Approval":        {"apr_1", func(id string) (any, error) { return w.Approvals.Approval(ctx, us, id) }},
		"Task":            {"tsk_1", func(id string) (any, error) { return w.Tasks.Task(ctx, us, id) }},
		"LatestApproval":  {s.ID, func(id string) (any, error) { return w.Approvals.LatestApproval(ctx, us, id, domain.ApprovalOutcome) }},
		"Provider":        {"prv_1", func(id string) (any, error) { return w.Providers.Provider(ctx, us, id) }},
		"Connector":       {"con_1", func(id string) (any, error) { return w.Connectors.Connector(ctx, us, id) }},
		"Zone":            {"zon_1", func(id string) (any, error) { return data.Zone(ctx, id) }},
		"Tool":            {"tol_1", func(id string) (any, error) { return data.Tool(ctx, id) }},
		"Tools":           {"zon_1", func(id string) (any, error) { return data.Tools(ctx, id) }},
		"Entry":           {"ent_1", func(id string) (any, error) { return data.Entry(ctx, id) }},
		"Document":        {"about", func(id string) (any, error) { return data.Document(ctx, id) }},
		"DocumentByID":    {"doc_1", func(id string) (any, error) { return data.DocumentByID(ctx, id) }},
		"DocumentVersion": {"doc_1", func(id string) (any, error) { return data.DocumentVersion(ctx, id, 1) }},
		"DocumentVersions": {"doc_1", func(id string) (any, error) {
			list, next, err := data.DocumentVersions(ctx, id, "", 0)
			return []any{list, next}, err
		}},
		"ToolType":     {"run", func(id string) (any, error) { return data.ToolType(ctx, id) }},
		"CountEntries": {"tol_1", func(id string) (any, error) { return data.CountEntries(ctx, id) }},
		"Stats": {"tol_1", func(id string) (any, error) {
			return data.Stats(ctx, userdata.StatsFilter{ToolID: id, Field: userdata.Field{"value"}, From: T0, Until: T0.Add(1e9)})
		}},
		"Entries": {"tol_1", func(id string) (any, error) {
			list, next, err := data.Entries(ctx, userdata.EntryFilter{ToolID: id})
			return []any{list, next}, err
		}},
	}
}

func waysToWrite(w *world, s *domain.Session) map[string]ask {
	ctx := w.Context()
	return map[string]ask{
		"DeleteProvider":  {"prv_1", func(id string) (any, error) { return nil, w.Providers.DeleteProvider(ctx, us, id) }},
		"DeleteConnector": {"con_1", func(id string) (any, error) { return nil, w.Connectors.DeleteConnector(ctx, us, id) }},
		"UpdateConnector": {"con_1", func(id string) (any, error) {
			c := connector(id, "TAKEN")
			c.WorkspaceID, c.Version = us, 1
			return nil, w.Connectors.UpdateConnector(ctx, c)
		}},
		"DeleteWebhook": {"whk_1", func(id string) (any, error) { return nil, w.Webhooks.DeleteWebhook(ctx, us, id, 0) }},
		"ChangeWebhook": {"whk_1", func(id string) (any, error) {
			return w.Webhooks.ChangeWebhook(ctx, us, id, 0, func(*outside.Webhook, int64) (*outside.WebhookDelivery, error) { return nil, nil })
		}},
		"RevokeKey": {"key_1", func(id string) (any, error) { return nil, w.Keys.RevokeKey(ctx, us, id, nil) }},
		"Decide": {s.ID, func(id string) (any, error) {
			return w.Decide(ctx, us, id, nil, func(context.Context, *domain.View) (*domain.Change, error) { return nil, nil })
		}},
		"InsertTool": {"zon_1", func(id string) (any, error) {
			return nil, w.tryWrite(func(ctx context.Context, d *repository.Data) error { return d.InsertTool(ctx, tool("tol_9", id, "x")) })
		}},
		"UpdateZone": {"zon_1", func(id string) (any, error) {
			z := zone(id, "taken")
			z.Version = 1
			return nil, w.tryWrite(func(ctx context.Context, d *repository.Data) error { return d.UpdateZone(ctx, z) })
		}},
		"DeleteZone": {"zon_1", func(id string) (any, error) {
			return nil, w.tryWrite(func(ctx context.Context, d *repository.Data) error { return d.DeleteZone(ctx, id, T0) })
		}},
		"RestoreZone": {"zon_gone", func(id string) (any, error) {
			return nil, w.tryWrite(func(ctx context.Context, d *repository.Data) error { return undone(d.RestoreZone(ctx, id, T0)) })
		}},
		"DeleteToolType": {"run", func(id string) (any, error) {
			return nil, w.tryWrite(func(ctx context.Context, d *repository.Data) error { return d.DeleteToolType(ctx, id) })
		}},
		"DeleteEntries": {"ent_1", func(id string) (any, error) {
			return nil, w.tryWrite(func(ctx context.Context, d *repository.Data) error { return d.DeleteEntries(ctx, []string{id}, T0) })
		}},
	}
}

func text(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}
