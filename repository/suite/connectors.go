package suite

import (
	"encoding/json"
	"errors"
	"time"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/domain/outside"
	"github.com/fermata-dev/fermata/repository"
)

func connector(id, prefix string) *outside.Connector {
	return &outside.Connector{
		WorkspaceID: "other", ID: id, Name: "n", Kind: outside.ConnectorHTTP, Prefix: prefix, Enabled: true, Config: []byte(`{ "base_url":"u"}`),
		SecretSealed: "v2.sealed", Status: outside.ConnectorReady, LastListedAt: new(T0.Add(time.Minute)), CreatedAt: T0, UpdatedAt: T0,
		Commands: []outside.ConnectorCommand{{
			Name: "GET", Params: json.RawMessage(`{}`), Effect: domain.EffectRead, Timeout: time.Second, State: outside.CommandOffered,
			Request: &outside.CommandRequest{Method: "GET", Path: "/x", Query: map[string]string{"a": "b"}},
			Probe:   &outside.CommandProbe{Path: "/y", Expect: json.RawMessage(`{"a":1}`)},
		}},
	}
}

// connectors come back as they were; a prefix is there once in a workspace.
func connectors(w *world) {
	ctx := w.Context()
	first := connector("con_1", "ONE")
	w.ok(w.Connectors.InsertConnector(ctx, first))
	w.equal(first.Version, int64(1), "its version")
	read, err := w.Connectors.Connector(ctx, "other", "con_1")
	w.ok(err)
	w.equal(read, first, "the connector")
	w.code(w.Connectors.InsertConnector(ctx, connector("con_2", "ONE")), domain.CodeConflict)
	second := connector("con_2", "TWO")
	second.CreatedAt = T0.Add(time.Second)
	w.ok(w.Connectors.InsertConnector(ctx, second))
	ours := connector("con_4", "ONE")
	ours.WorkspaceID = domain.DefaultWorkspace
	w.ok(w.Connectors.InsertConnector(ctx, ours)) // what another workspace has takes nothing away

	second.Prefix = "ONE"
	w.code(w.Connectors.UpdateConnector(ctx, second), domain.CodeConflict)
	second.Prefix, second.Commands, second.LastListedAt = "OTHER", []outside.ConnectorCommand{}, nil
	stale := *second
	w.ok(w.Connectors.UpdateConnector(ctx, second))
	if err := w.Connectors.UpdateConnector(ctx, &stale); !errors.Is(err, domain.ErrStale) {
		w.Errorf("a stale connector gave %v", err)
	}
	w.ok(w.Connectors.SetConnectorStatus(ctx, "other", "con_2", outside.ConnectorUnreachable, "why"))
	second.Status, second.StatusDetail = outside.ConnectorUnreachable, "why" // and no new version
	list, err := w.Connectors.Connectors(ctx, "other")
	w.ok(err)
	w.equal(list, []*outside.Connector{first, second}, "the connectors")
	w.ok(w.Connectors.DeleteConnector(ctx, "other", "con_1"))
	w.code(w.Connectors.DeleteConnector(ctx, "other", "con_1"), domain.CodeNotFound)
	w.code(w.Connectors.UpdateConnector(ctx, first), domain.CodeNotFound)
}

// connectorChanges: reading a view shows whether a process's cache of the workspace's connectors is stale,
// regardless of which process changed them.
func connectorChanges(w *world) {
	ctx := w.Context()
	changes := func(on *repository.Store) int64 {
		n, err := on.Connectors.ConnectorChanges(ctx, domain.DefaultWorkspace)
		w.ok(err)
		return n
	}
	w.equal(changes(w.Store), int64(0), "changes where nothing was changed")
	c := connector("con_1", "ONE")
	c.WorkspaceID = domain.DefaultWorkspace
	w.ok(w.Connectors.InsertConnector(ctx, c))
	w.ok(w.Connectors.SetConnectorStatus(ctx, c.WorkspaceID, c.ID, outside.ConnectorUnreachable, ""))
	w.ok(w.Connectors.UpdateConnector(ctx, c))
	w.equal(changes(w.Store), int64(2), "changes, as who made them knows")
	s := w.stored("reader")
	if w.Kind() == "sqlite" {
		return // one process holds the file
	}
	other := w.open(w.TB, w.place, w.config("node-2", "first"))
	w.equal(changes(other), int64(2), "changes, as another process reads them")
	w.ok(w.Connectors.DeleteConnector(ctx, c.WorkspaceID, c.ID))
	w.equal(changes(other), int64(2), "changes, before the other process reads a view")
	_, err := other.View(ctx, domain.DefaultWorkspace, s.ID)
	w.ok(err)
	w.equal(changes(other), int64(3), "changes, once it has read one")
}

// connectorGrants: there is one for a connector; it is written by the caller that read its latest version, renewed
// by one caller at a time, and deleted with its connector or its origin.
func connectorGrants(w *world) {
	ctx := w.Context()
	grant := func(sealed, state string, version int64) *outside.ConnectorGrant {
		return &outside.ConnectorGrant{
			WorkspaceID: "other", ConnectorID: "con_1", Origin: "https://a", Sealed: sealed, StateHash: state,
			BegunBy: domain.Author{ID: "key_1", Name: "Ann", Role: domain.RoleAdmin}, UpdatedAt: T0, Version: version,
		}
	}
	read := func() *outside.ConnectorGrant {
		got, err := w.Connectors.ConnectorGrant(ctx, "other", "con_1")
		w.ok(err)
		return got
	}
	stale := func(err error, what string) {
		if !errors.Is(err, domain.ErrStale) {
			w.Errorf("%s gave %v", what, err)
		}
	}
	w.equal(read(), (*outside.ConnectorGrant)(nil), "a grant of nothing")
	w.code(w.Connectors.SaveGrant(ctx, grant("v2.a", "", 0)), domain.CodeNotFound)
	w.ok(w.Connectors.InsertConnector(ctx, connector("con_1", "ONE")))
	first := grant("v2.a", "state", 0)
	w.ok(w.Connectors.SaveGrant(ctx, first))
	w.equal(read(), first, "the grant")
	stale(w.Connectors.SaveGrant(ctx, grant("v2.b", "", 0)), "another first grant")
	found, err := w.Connectors.GrantOfState(ctx, "state")
	w.ok(err)
	w.equal(found, first, "the grant by its state")

	claim := func(g *outside.ConnectorGrant, at time.Duration) bool {
		mine, err := w.Connectors.ClaimGrant(ctx, g, T0.Add(at), T0.Add(at+time.Minute))
		w.ok(err)
		return mine
	}
	w.equal([]bool{claim(first, 0), claim(first, time.Second), claim(first, time.Minute)}, []bool{true, false, true}, "claims")
	second := grant("v2.b", "", first.Version)
	w.ok(w.Connectors.SaveGrant(ctx, second))
	w.equal([]bool{claim(first, 0), claim(second, 0)}, []bool{false, true}, "claims of an old grant, and of the new one")
	stale(w.Connectors.SaveGrant(ctx, first), "an old grant")
	for _, state := range []string{"state", ""} {
		found, err = w.Connectors.GrantOfState(ctx, state)
		w.ok(err)
		w.equal(found, (*outside.ConnectorGrant)(nil), "a state that was used")
	}
	counts, err := w.Secrets.SealedWith(ctx, 4)
	w.ok(err)
	w.equal(counts["v2.b"], 1, "grants among the sealed secrets")

	w.ok(w.Connectors.DropGrant(ctx, "other", "con_1", "https://a"))
	w.equal(read(), second, "a grant for the same origin")
	w.ok(w.Connectors.DropGrant(ctx, "other", "con_1", "https://b"))
	w.equal(read(), (*outside.ConnectorGrant)(nil), "a grant for another origin")
	w.ok(w.Connectors.SaveGrant(ctx, grant("v2.a", "", 0)))
	w.ok(w.Connectors.DeleteConnector(ctx, "other", "con_1"))
	w.equal(read(), (*outside.ConnectorGrant)(nil), "a grant of a connector that is gone")
}
