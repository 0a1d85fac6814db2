package commands

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/fermata-dev/fermata/commands/origins"
	"github.com/fermata-dev/fermata/data"
	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/domain/calendar"
	"github.com/fermata-dev/fermata/domain/userdata"
	"github.com/fermata-dev/fermata/internal/jsonbody"
	"github.com/fermata-dev/fermata/internal/schema"
)

const (
	maxMessage      = 200_000 // characters of text in one message
	maxEnrichments  = 20      // in one message
	pointedTools    = 20      // limits the tools of a zone that a POINTER with a period reads
	enrichmentBytes = 8 << 10 // of one config
)

// enrichmentConfig is the config of every type of enrichment; which fields one may
// have is in its schema.
type enrichmentConfig struct {
	ZoneID   string          `json:"zone_id,omitempty"`
	ToolID   string          `json:"tool_id,omitempty"`
	ToolType string          `json:"tool_type,omitempty"`
	Period   calendar.Period `json:"period,omitzero"`
}

const typeProperty = `"tool_type": {"type": "string", "description": "Id of a tool type."}`

var enrichmentSchemas = map[domain.EnrichmentType]json.RawMessage{
	domain.EnrichPointer:      schema.Object(zoneIDProperty + `, ` + toolIDProperty + `, ` + periodProperty),
	domain.EnrichUse:          schema.Object(toolIDProperty+`, `+periodProperty, "tool_id"),
	domain.EnrichCreate:       schema.Object(typeProperty+`, `+zoneIDProperty, "tool_type"),
	domain.EnrichModifyConfig: schema.Object(toolIDProperty, "tool_id"),
}

// enricher works out the enrichments of one message.
type enricher struct {
	call     *call
	beneath  data.Store // what call reads, a segment at a time
	calendar calendar.Calendar
	commands []domain.Command
	seen     map[string]bool
}

// Enrichments checks a message's segments and computes what the server makes of them:
// each enrichment's summary and queries, and the linear text. In a CHAT periods become
// absolute now; in a SEED they stay as they are, to be read at each run. Pointers of
// errors begin with /segments/0.
func (c *Catalogue) Enrichments(ctx context.Context, store data.Store, env Env, segments []domain.Segment) (domain.RichContent, error) {
	var rich domain.RichContent
	dates, err := env.Calendar()
	if err != nil {
		return rich, err
	}
	x := &enricher{call: &call{catalogue: c, env: env}, beneath: store, calendar: dates, seen: map[string]bool{}}
	var linear strings.Builder
	blocks := 0
	for i, s := range segments {
		at := fmt.Sprintf("/segments/%d", i)
		out, words, err := x.segment(ctx, s, at)
		if err != nil {
			return domain.RichContent{}, err
		}
		if out.Enrichment != nil {
			if blocks++; blocks > maxEnrichments {
				return domain.RichContent{}, domain.Invalid(at, "count", "A message has at most %d enrichments.", maxEnrichments)
			}
		}
		join(&linear, words, out.Type != domain.SegmentText || i > 0 && segments[i-1].Type != domain.SegmentText)
		rich.Segments = append(rich.Segments, out)
	}
	rich.LinearText, rich.Commands = linear.String(), x.commands
	if strings.TrimSpace(rich.LinearText) == "" {
		return domain.RichContent{}, domain.Invalid("/segments", "required", "A message needs a text or an enrichment.")
	}
	if n := utf8.RuneCountInString(rich.LinearText); n > maxMessage {
		return domain.RichContent{}, domain.Invalid(
			"/segments",
			"max_length",
			"The message has %d characters; at most %d are allowed.",
			n,
			maxMessage,
		)
	}
	return rich, nil
}

// join appends words; where text meets a block they are kept apart by a space.
func join(b *strings.Builder, words string, apart bool) {
	if apart && b.Len() > 0 && words != "" {
		last, _ := utf8.DecodeLastRuneInString(b.String())
		first, _ := utf8.DecodeRuneInString(words)
		if !unicode.IsSpace(last) && !unicode.IsSpace(first) && !unicode.IsPunct(first) || first == '[' && !unicode.IsSpace(last) {
			b.WriteByte(' ')
		}
	}
	b.WriteString(words)
}

// segment validates one segment and returns it completed, with its text.
func (x *enricher) segment(ctx context.Context, s domain.Segment, at string) (domain.Segment, string, error) {
	switch {
	case s.Type == "text" && s.Enrichment == nil:
		return s, s.Text, data.CheckText(at+"/text", s.Text, maxMessage)
	case s.Type == domain.SegmentFile && s.File != nil && s.Text == "" && s.Enrichment == nil:
		return s, "[" + s.File.Name + "]", nil
	case s.Type == "text":
		return s, "", domain.Invalid(at+"/enrichment", "unknown_field", "A text segment has no enrichment.")
	case s.Type != "enrichment":
		return s, "", domain.Invalid(at+"/type", "enum", `The type of a segment is "text", "enrichment" or "file".`)
	case s.Enrichment == nil:
		return s, "", domain.Invalid(at+"/enrichment", "required", "The enrichment is missing.")
	case s.Text != "":
		return s, "", domain.Invalid(at+"/text", "unknown_field", "An enrichment segment has no text.")
	}
	block := *s.Enrichment
	read := origins.Watch(x.beneath)
	x.call.store = read
	err := x.enrich(ctx, &block)
	s.Enrichment, s.From = &block, read.From()
	return s, "[" + block.Summary + "]", domain.Below(at+"/enrichment", err)
}

// enrich checks an enrichment, freezes its period, and adds its queries.
func (x *enricher) enrich(ctx context.Context, block *domain.Enrichment) error {
	schema, ok := enrichmentSchemas[block.Type]
	if !ok {
		return domain.Invalid("/type", "enum", "The type of an enrichment is POINTER, USE, CREATE or MODIFY_CONFIG.")
	}
	raw := block.Config
	if len(raw) == 0 {
		raw = json.RawMessage("{}")
	}
	body, err := data.Normal("/config", raw, enrichmentBytes)
	if err == nil {
		err = x.call.catalogue.schemas.Check(schema, body, "/config")
	}
	if err != nil {
		return err
	}
	config, err := decode[enrichmentConfig](body)
	if err != nil {
		return domain.Below("/config", err)
	}
	said := config.Period
	if config.Period, err = x.freeze(config.Period); err != nil {
		return domain.Below("/config/period", err)
	}
	block.Config = jsonbody.Encode(config)
	var e *domain.Error
	switch err = x.expand(ctx, block, config, said); {
	case errors.As(err, &e) && e.Code == domain.CodeNotFound:
		// In a request, an id that does not exist is a wrong value, not a missing page.
		return domain.Below("/config", &domain.Error{Code: domain.CodeInvalid, Message: e.Message, Fields: e.Fields})
	default:
		return domain.Below("/config", err)
	}
}

// freeze makes a period absolute, but in a SEED.
func (x *enricher) freeze(p calendar.Period) (calendar.Period, error) {
	if p.IsZero() {
		return p, nil
	}
	span, err := x.call.env.Resolve(p, x.calendar)
	if err != nil {
		return p, err
	}
	if x.call.env.SessionType == domain.Seed || x.call.env.SessionType == domain.Run {
		return p, nil
	}
	return span.Freeze(x.calendar), nil
}

// expand resolves what the enrichment refers to, describes it and adds the queries. said is the period as
// the person entered it, which reads better than the resolved one.
func (x *enricher) expand(ctx context.Context, block *domain.Enrichment, config enrichmentConfig, said calendar.Period) error {
	env := &x.call.env
	switch block.Type {
	case domain.EnrichCreate:
		return x.expandCreate(ctx, block, config)
	case domain.EnrichPointer:
		if (config.ZoneID == "") == (config.ToolID == "") {
			return domain.Invalid("", "required", "A POINTER has either zone_id or tool_id.")
		}
		if config.ZoneID != "" {
			return x.expandZone(ctx, block, config, said)
		}
	}
	tool, zones, err := x.call.guarded(ctx, "/tool_id", config.ToolID)
	if err != nil {
		return err
	}
	where := domain.Say("%s in %s", "%s dans %s", nameText(tool.Name), nameText(zones[0].Name))
	switch block.Type {
	case domain.EnrichPointer:
		block.Summary = env.spoken(domain.Join(", ", where, inPeriod(said)))
		x.add("TOOL_CONFIG", enrichmentConfig{ToolID: tool.ID})
		x.addData(tool.ID, config.Period)
	case domain.EnrichUse:
		block.Summary = env.spoken(domain.Join(", ", domain.Say("data of %s", "données de %s", where), inPeriod(said)))
		return x.expandUse(ctx, tool, config.Period)
	default:
		block.Summary = env.spoken(domain.Say("change the config of %s", "modifier la configuration de %s", where))
		x.add("SCHEMA", schemaParams{"tool", tool.ToolType})
		x.add("TOOL_CONFIG", enrichmentConfig{ToolID: tool.ID})
	}
	return nil
}

func inPeriod(p calendar.Period) domain.Text {
	if p.IsZero() {
		return domain.Text{}
	}
	return periodText(p)
}

func (x *enricher) expandZone(ctx context.Context, block *domain.Enrichment, config enrichmentConfig, said calendar.Period) error {
	zone, err := x.call.zone(ctx, "/zone_id", config.ZoneID)
	if err != nil {
		return err
	}
	env := &x.call.env
	block.Summary = env.spoken(domain.Join(", ", domain.Say("the zone %s", "la zone %s", nameText(zone.Name)), inPeriod(said)))
	x.add("ZONE_CONFIG", enrichmentConfig{ZoneID: zone.ID})
	x.add("TOOL_INSTANCES", enrichmentConfig{ZoneID: zone.ID})
	if config.Period.IsZero() {
		return nil
	}
	tools, err := x.call.store.Tools(ctx, zone.ID)
	if err != nil {
		return fmt.Errorf("read the zone's tools: %w", err)
	}
	for _, t := range tools[:min(len(tools), pointedTools)] {
		x.addData(t.ID, config.Period)
	}
	return nil
}

func (x *enricher) expandCreate(ctx context.Context, block *domain.Enrichment, config enrichmentConfig) error {
	t, err := data.FindToolType(ctx, x.call.store, config.ToolType)
	if err != nil {
		return err
	}
	env := &x.call.env
	block.Summary = env.spoken(domain.Say("create a tool of the type %s", "créer un outil du type %s", nameText(t.Name)))
	if config.ZoneID != "" {
		zone, err := x.call.zone(ctx, "/zone_id", config.ZoneID)
		if err != nil {
			return err
		}
		block.Summary += env.spoken(domain.Say(" in %s", " dans %s", nameText(zone.Name)))
	}
	x.add("SCHEMA", schemaParams{"tool", t.ID})
	x.add("SCHEMA", schemaParams{"entry", t.ID})
	x.add("ZONES", noParams{})
	return nil
}

func (x *enricher) expandUse(ctx context.Context, tool *userdata.Tool, period calendar.Period) error {
	t, err := data.FindToolType(ctx, x.call.store, tool.ToolType)
	if err != nil {
		return err
	}
	x.add("TOOL_CONFIG", enrichmentConfig{ToolID: tool.ID})
	x.add("SCHEMA", schemaParams{"tool", tool.ToolType})
	x.add("SCHEMA", schemaParams{"entry", tool.ToolType})
	if period.IsZero() {
		x.add("TOOL_DATA", enrichmentConfig{ToolID: tool.ID})
	} else {
		x.addData(tool.ID, period)
	}
	for _, field := range data.NumericFields(t) {
		x.add("TOOL_STATS", statsParams{ToolID: tool.ID, Field: field, Period: period})
	}
	return nil
}

func (x *enricher) addData(toolID string, period calendar.Period) {
	if !period.IsZero() {
		x.add("TOOL_DATA", enrichmentConfig{ToolID: toolID, Period: period})
	}
}

// add adds a query, once.
func (x *enricher) add(name string, params any) {
	raw, _, err := canonical(jsonbody.Encode(params))
	if err != nil {
		return // made from structs: it is an object
	}
	id := commandID(name, raw)
	if x.seen[id] {
		return
	}
	x.seen[id] = true
	var p struct {
		Period calendar.Period `json:"period"`
	}
	relative := json.Unmarshal(raw, &p) == nil && p.Period.IsRelative()
	x.commands = append(x.commands, domain.Command{ID: id, Type: name, Params: raw, IsRelative: relative})
}

// PlanEnrichments makes the executions of the queries that a user message's
// enrichments ask for.
func (c *Catalogue) PlanEnrichments(env Env, message *domain.Message) []*domain.Execution {
	if message.Rich == nil {
		return nil
	}
	p := &planner{catalogue: c, env: env, messageID: message.ID}
	executions := make([]*domain.Execution, 0, len(message.Rich.Commands))
	for i, command := range message.Rich.Commands {
		e := p.execution(command, i)
		e.Kind, e.Effect = domain.KindQuery, domain.EffectRead
		executions = append(executions, e)
	}
	return executions
}
