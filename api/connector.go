package api

import (
	"encoding/json"
	"time"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/domain/outside"
)

// ConnectorFrom is a connector as clients see it: its config has masks for secrets already.
func ConnectorFrom(c *outside.Connector) *Connector {
	out := &Connector{
		ID: c.ID, Name: c.Name, Kind: ConnectorKind(c.Kind), Prefix: c.Prefix, Enabled: c.Enabled, Config: objectOf(c.Config),
		Commands: make([]ConnectorCommand, len(c.Commands)), Status: ConnectorStatus(c.Status), StatusDetail: c.StatusDetail,
		Version: c.Version, CreatedAt: Time(c.CreatedAt), UpdatedAt: Time(c.UpdatedAt),
	}
	if c.LastListedAt != nil {
		out.LastListedAt = new(Time(*c.LastListedAt))
	}
	if c.PausedUntil != nil {
		out.PausedUntil = new(Time(*c.PausedUntil))
	}
	for i := range c.Commands {
		out.Commands[i] = connectorCommandFrom(&c.Commands[i], c.Reviewed(&c.Commands[i]))
	}
	return out
}

func connectorCommandFrom(c *outside.ConnectorCommand, reviewed bool) ConnectorCommand {
	out := ConnectorCommand{
		Name: c.Name, Title: c.Title, Description: c.Description, ParamsSchema: c.Params, Effect: wireEffect(c.Effect),
		RequireValidation: c.RequireValidation, Timeout: durationText(c.Timeout), Trusted: c.Trusted, Sensitive: c.Sensitive,
		DefinitionHash: c.DefinitionHash, State: ConnectorCommandState(c.State), Result: c.Result, CancelPath: c.CancelPath,
		Documents: c.Documents, Reviewed: reviewed,
	}
	if out.Documents == nil {
		out.Documents = []string{}
	}
	if c.Timeout == 0 {
		out.Timeout = durationText(domain.CallTimeout)
	}
	if r := c.Request; r != nil {
		out.Request = &CommandRequest{Method: CommandRequestMethod(r.Method), Path: r.Path, Body: r.Body}
		if r.Query != nil {
			out.Request.Query = &r.Query
		}
		if r.Headers != nil {
			out.Request.Headers = &r.Headers
		}
	}
	if p := c.Probe; p != nil {
		out.Probe = &CommandProbe{Path: p.Path, Expect: p.Expect}
	}
	if was := c.LookedAt; was != nil {
		out.LookedAt = &CommandTexts{Title: was.Title, Description: was.Description, ParamsSchema: was.Params}
	}
	if c.Deadline != 0 {
		out.Deadline = new(durationText(c.Deadline))
	}
	return out
}

// wireEffect: what the catalogue calls read is read_only here, beside annotations of other
// servers.
func wireEffect(e domain.CommandEffect) ConnectorEffect {
	if e == domain.EffectRead {
		return ConnectorEffectReadOnly
	}
	return ConnectorEffect(e)
}

func effectOf(word string) domain.CommandEffect {
	if word == string(ConnectorEffectReadOnly) {
		return domain.EffectRead
	}
	return domain.CommandEffect(word)
}

// ConnectorPreviewFrom is what is proposed of an API's description.
func ConnectorPreviewFrom(p *outside.ConnectorPreview) ConnectorPreview {
	out := ConnectorPreview{
		Name: p.Name, Kind: ConnectorKind(p.Kind), Prefix: p.Prefix, Config: objectOf(p.Config), Skipped: p.Skipped,
		Commands: make([]ProposedCommand, len(p.Commands)),
	}
	for i := range p.Commands {
		c := connectorCommandFrom(&p.Commands[i], false)
		out.Commands[i] = ProposedCommand{
			Name: c.Name, Description: c.Description, ParamsSchema: c.ParamsSchema, Effect: c.Effect,
			RequireValidation: c.RequireValidation, Request: *c.Request,
		}
	}
	return out
}

// ConnectorTestFrom is what trying a connector found.
func ConnectorTestFrom(t *outside.ConnectorTest) ConnectorTest {
	out := ConnectorTest{Ok: t.OK, LatencyMs: t.Latency.Milliseconds(), Commands: t.Commands, Status: ConnectorTestStatus(t.Status)}
	if !t.OK {
		out.Error = &t.Error
	}
	return out
}

// ConnectorSignInFrom is a sign-in that was begun.
func ConnectorSignInFrom(s *outside.SignIn) ConnectorSignIn {
	return ConnectorSignIn{URL: s.URL, ExpiresAt: Time(s.ExpiresAt)}
}

// Domain returns the requested connector.
func (in *NewConnector) Domain() outside.NewConnector {
	return outside.NewConnector{
		Name: in.Name, Kind: outside.ConnectorKind(in.Kind), Prefix: in.Prefix, Disabled: in.Enabled != nil && !*in.Enabled,
		Config: in.Config, Commands: connectorCommands(in.Commands),
	}
}

// Domain returns the requested change.
func (in *ConnectorPatch) Domain() outside.ConnectorPatch {
	patch := outside.ConnectorPatch{Name: in.Name, Prefix: in.Prefix, Enabled: in.Enabled, Config: in.Config}
	if in.Commands != nil {
		patch.Commands = new(connectorCommands(in.Commands))
	}
	return patch
}

func connectorCommands(in []NewConnectorCommand) []outside.ConnectorCommand {
	out := make([]outside.ConnectorCommand, len(in))
	for i := range in {
		out[i] = in[i].domain()
	}
	return out
}

func (in *NewConnectorCommand) domain() outside.ConnectorCommand {
	c := outside.ConnectorCommand{
		Name: in.Name, Title: Value(in.Title), Description: in.Description, Params: in.ParamsSchema, Effect: domain.EffectNonIdempotent,
		Timeout: timeoutOf(in.Timeout), Trusted: Value(in.Trusted),
		Sensitive: Value(in.Sensitive), State: outside.CommandState(Value(in.State)),
		Result: Value(in.Result), Deadline: time.Duration(Value(in.Deadline)), CancelPath: Value(in.CancelPath),
		Documents: in.Documents,
	}
	if in.Effect != nil {
		c.Effect = effectOf(*in.Effect)
	}
	c.RequireValidation = c.Effect == domain.EffectNonIdempotent
	set(&c.RequireValidation, in.RequireValidation)
	if r := in.Request; r != nil {
		c.Request = &outside.CommandRequest{Method: r.Method, Path: r.Path, Query: r.Query, Headers: r.Headers, Body: notNull(r.Body)}
	}
	if p := in.Probe; p != nil {
		c.Probe = &outside.CommandProbe{Path: p.Path, Expect: p.Expect}
	}
	return c
}

// timeoutOf decodes a timeout. In the domain, zero means none; a client that sends a zero means a timeout of zero, which
// is out of range.
func timeoutOf(given *domain.Duration) time.Duration {
	switch {
	case given == nil:
		return 0
	case *given == 0:
		return -1
	}
	return time.Duration(*given)
}

// notNull is raw JSON, or none where it is null.
func notNull(raw json.RawMessage) json.RawMessage {
	if string(raw) == "null" {
		return nil
	}
	return raw
}

// Domain is what a person says of a command.
func (in *ConnectorCommandPatch) Domain() outside.ConnectorCommandPatch {
	patch := outside.ConnectorCommandPatch{
		RequireValidation: in.RequireValidation, Trusted: in.Trusted, Sensitive: in.Sensitive, State: word[outside.CommandState](in.State),
	}
	if in.Effect != nil {
		patch.Effect = new(effectOf(*in.Effect))
	}
	if in.Timeout.IsSpecified() {
		patch.Timeout = new(time.Duration(0)) // null: the default
		if given, ok := in.Timeout[true]; ok {
			*patch.Timeout = timeoutOf(&given)
		}
	}
	return patch
}
