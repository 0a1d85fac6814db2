package api

import (
	"cmp"
	"encoding/json"
	"time"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/domain/outside"
	"github.com/fermata-dev/fermata/domain/people"
	"github.com/fermata-dev/fermata/domain/userdata"
)

// ZoneFrom is a zone as clients see it.
func ZoneFrom(z *userdata.Zone) *Zone {
	out := &Zone{ID: z.ID, Trust: TrustFrom(z.Trust), Version: z.Version, CreatedAt: Time(z.CreatedAt), UpdatedAt: Time(z.UpdatedAt)}
	return withFields(out, &z.ZoneFields)
}

// ToolTypeFrom is a tool type as clients see it.
func ToolTypeFrom(t *userdata.ToolType) *ToolType {
	out := withFields(&ToolType{ID: t.ID, Trust: TrustFrom(t.Trust), BuiltIn: t.BuiltIn, Version: t.Version}, &t.ToolTypeFields)
	out.ConfigSchema, out.EntrySchema = objectOf(t.ConfigSchema), objectOf(t.EntrySchema)
	if !t.BuiltIn {
		out.CreatedAt, out.UpdatedAt = timePtr(&t.CreatedAt), timePtr(&t.UpdatedAt)
	}
	return out
}

// ToolFrom is a tool as clients see it.
func ToolFrom(t *userdata.Tool) *Tool {
	out := &Tool{ID: t.ID, Trust: TrustFrom(t.Trust), Version: t.Version, CreatedAt: Time(t.CreatedAt), UpdatedAt: Time(t.UpdatedAt)}
	withFields(out, &t.ToolFields).Config = objectOf(t.Config)
	return out
}

// EntryFrom is an entry as clients see it.
func EntryFrom(e *userdata.Entry) *Entry {
	return &Entry{
		ID: e.ID, ToolID: e.ToolID, Timestamp: Time(e.Timestamp), Data: objectOf(e.Data), Version: e.Version,
		SessionID: textPtr(e.SessionID), CreatedAt: Time(e.CreatedAt), UpdatedAt: Time(e.UpdatedAt), Trust: TrustFrom(e.Trust),
	}
}

// ImportResultFrom is what a file of entries made.
func ImportResultFrom(r *userdata.ImportResult) *ImportResult {
	return &ImportResult{
		DryRun: r.DryRun, Entries: r.Count, Changed: r.Changed, Unchanged: r.Unchanged,
		FirstTimestamp: timePtr(r.First), LastTimestamp: timePtr(r.Last),
	}
}

// DocumentFrom is a document as clients see it.
func DocumentFrom(d *userdata.Document) *Document {
	out := &Document{
		ID: d.ID, Key: d.Key, Version: d.Version, PublishedAt: timePtr(d.PublishedAt),
		CreatedAt: Time(d.CreatedAt), UpdatedAt: Time(d.UpdatedAt), Trust: TrustFrom(d.Trust),
	}
	if d.PublishedAt != nil {
		out.PublishedBody = &d.Published
	}
	return withFields(out, &d.DocumentFields)
}

// DocumentVersionFrom is a published version as lists show it: without its text.
func DocumentVersionFrom(v *userdata.DocumentVersion) *DocumentVersion {
	return &DocumentVersion{
		Version: v.Version, Title: v.Title, PublishedAt: Time(v.PublishedAt),
		Author: textPtr(cmp.Or(v.AuthorName, v.AuthorID)), AuthorID: textPtr(v.AuthorID), SessionID: textPtr(v.SessionID),
	}
}

// StatsFrom is a row of statistics as clients see it.
func StatsFrom(s *userdata.Stats) *Stats {
	out := &Stats{Bucket: textPtr(s.Bucket), Count: s.Count, Min: s.Min, Max: s.Max, Mean: s.Mean, Sum: s.Sum, Last: s.Last}
	if s.Group != nil {
		out.Group = s.Group
	}
	return out
}

// CommandSpecFrom is an entry of the catalogue as clients see it.
func CommandSpecFrom(c *domain.CommandSpec) *CommandSpec {
	return &CommandSpec{
		Name: c.Name, Kind: c.Kind, Role: c.Role, Effect: c.Effect, Source: c.Source, Description: c.Description,
		ParamsSchema: objectOf(c.Params), Timeout: durationText(c.Timeout),
	}
}

// ProviderFrom is a provider as clients see it: its key is in the config again, masked.
func ProviderFrom(p *outside.Provider) (*Provider, error) {
	config := objectOf(p.Config)
	if p.SecretMask != "" {
		fields := map[string]json.RawMessage{}
		if err := json.Unmarshal(config, &fields); err != nil {
			return nil, err
		}
		mask, err := json.Marshal(p.SecretMask)
		if err != nil {
			return nil, err
		}
		fields["api_key"] = mask
		if config, err = json.Marshal(fields); err != nil {
			return nil, err
		}
	}
	return &Provider{
		ID: p.ID, Name: p.Name, Kind: p.Kind, Config: config, IsDefault: p.IsDefault, Version: p.Version,
		CreatedAt: Time(p.CreatedAt), UpdatedAt: Time(p.UpdatedAt),
	}, nil
}

// KeyFrom is an API key as clients see it, without the key itself.
func KeyFrom(k *people.Key) *Key {
	return &Key{
		ID: k.ID, Name: k.Name, Role: k.Role, Prefix: k.Prefix, CreatedAt: Time(k.CreatedAt),
		ExpiresAt: timePtr(k.ExpiresAt), LastUsedAt: timePtr(k.LastUsedAt), RevokedAt: timePtr(k.RevokedAt),
	}
}

// WorkspaceFrom is a workspace as clients see it.
func WorkspaceFrom(w *domain.Workspace) *Workspace {
	return &Workspace{ID: w.ID, Name: w.Name, CreatedAt: Time(w.CreatedAt)}
}

// objectOf keeps an empty raw object from being an error of the encoder.
func objectOf(raw json.RawMessage) json.RawMessage {
	if len(raw) == 0 {
		return json.RawMessage("{}")
	}
	return raw
}

// TimeOrNil maps an optional time.
func TimeOrNil(t *time.Time) *Time { return timePtr(t) }
