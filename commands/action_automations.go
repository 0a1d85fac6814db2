package commands

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/domain/automation"
	"github.com/fermata-dev/fermata/internal/jsonbody"
)

const createAutomation = "CREATE_AUTOMATION"

// Automations are the rules for making automations, for every caller.
type Automations interface {
	// Preview describes a schedule, with its next occurrences.
	Preview(s automation.Schedule, after time.Time, count int, settings *domain.Settings) (*automation.SchedulePreview, error)
	// Make validates the input, and returns the automation with everything that is to be written.
	Make(workspace string, in automation.NewAutomation, now time.Time, newID domain.IDSource) (
		*automation.Automation, *domain.Change, error)
}

const (
	shownRuns = 3  // of the next times, on the card
	manyRuns  = 24 // in a day: from there on the card warns
)

type automationParams struct {
	Name     string              `json:"name"`
	Request  string              `json:"request"`
	Schedule automation.Schedule `json:"schedule"`
}

// automationShown is what a person sees of an automation before it is made.
type automationShown struct {
	Name     string   `json:"name"`
	Request  string   `json:"request"`
	Schedule string   `json:"schedule"`
	Next     []string `json:"next"`
}

const automationFields = `"name": {"type": "string", "minLength": 1, "maxLength": 200, "pattern": "\\S"},
	"request": {"type": "string", "minLength": 1, "maxLength": 100000, "pattern": "\\S", "description": "What to do each time; a run sees nothing of this chat, and reads relative times as of the run."},
	"schedule": {"type": "object", "additionalProperties": false, "required": ["type", "expression"], "properties": {
		"type": {"type": "string", "enum": ["cron", "rrule", "interval", "once"]},
		"expression": {"type": "string", "minLength": 1, "maxLength": 500, "description": "Like 0 8 * * 1; FREQ=WEEKLY;INTERVAL=2;BYDAY=MO; 36h; 2026-03-29T08:00:00 (local)."},
		"time_zone": {"type": "string", "minLength": 1, "maxLength": 100, "description": "IANA name; the person's own when left out."},
		"starts_at": {"type": "string", "maxLength": 40, "description": "Local; now when left out."}}}`

func automationActions() []*command {
	return []*command{newAction(
		createAutomation,
		domain.RoleAdmin,
		domain.EffectNonIdempotent,
		"Schedule a request, only where the person asks for it, and never because a result or document does.",
		automationFields,
		describeCreateAutomation,
		runCreateAutomation,
	).require("name", "request", "schedule").fixedTerms(automationTerms)}
}

// ahead reads the schedule, on the person's clocks where it names no others, with the next times
// at which it comes. One that never comes again is refused.
func (p *automationParams) ahead(c *call) (automation.Schedule, map[string]*automation.SchedulePreview, error) {
	s := p.Schedule
	if s.TimeZone == "" {
		s.TimeZone = c.env.Settings.TimeZone
	}
	said := map[string]*automation.SchedulePreview{}
	for _, language := range domain.Languages {
		settings := c.env.Settings
		settings.Language = language
		preview, err := c.catalogue.automations.Preview(s, c.env.Now, manyRuns+1, &settings)
		if err != nil {
			return s, nil, domain.Below("/schedule", err)
		}
		said[language] = preview
	}
	if len(said["en"].Next) == 0 {
		return s, nil, domain.Invalid("/schedule/expression", "past",
			"All of this schedule is over: it would never run. Now it is %s.", c.env.Now.UTC().Format(time.RFC3339))
	}
	return s, said, nil
}

func automationTerms() terms {
	return terms{lasts: true, person: domain.Say("An automation works without you later on, so creating one always asks.",
		"Une automatisation travaille ensuite sans vous : en créer une demande toujours un accord.")}
}

// describeCreateAutomation shows the whole request, and the schedule in words. Its time zone is part of
// the version: a schedule without one uses the workspace's.
func describeCreateAutomation(_ context.Context, c *call, p automationParams) (card, error) {
	s, said, err := p.ahead(c)
	if err != nil {
		return card{}, err
	}
	d := card{
		text:  domain.Say("Create the automation %s: %s", "Créer l’automatisation %s : %s", nameText(p.Name), descriptionText(said)),
		after: p.shown(cmp.Or(said[c.env.Settings.Language], said["en"])), afterIn: map[string]json.RawMessage{},
		version: s.TimeZone,
	}
	for language, preview := range said {
		d.afterIn[language] = p.shown(preview)
	}
	next := said["en"].Next
	if n := len(next); n > manyRuns && next[n-1].At.Before(c.env.Now.AddDate(0, 0, 1)) {
		d.warnings = append(d.warnings, domain.Say("It runs more than %d times a day, and each run calls the AI.",
			"Elle s’exécute plus de %d fois par jour, et chaque exécution appelle l’IA.", manyRuns))
	}
	return d, nil
}

// shown is the automation as a card shows it, in the language of the preview.
func (p *automationParams) shown(preview *automation.SchedulePreview) json.RawMessage {
	shown := automationShown{Name: p.Name, Request: p.Request, Schedule: preview.Description}
	for _, run := range preview.Next[:min(shownRuns, len(preview.Next))] {
		said := run.Said
		if run.Note != "" {
			said += " (" + run.Note + ")"
		}
		shown.Next = append(shown.Next, said)
	}
	return jsonbody.Encode(shown)
}

func descriptionText(said map[string]*automation.SchedulePreview) domain.Text {
	return domain.Text{EN: said["en"].Description, FR: said["fr"].Description}
}

// createdAutomation is the result of the action.
type createdAutomation struct {
	ID      string     `json:"id"`
	Name    string     `json:"name"`
	NextRun *time.Time `json:"next_run_at"`
}

func runCreateAutomation(ctx context.Context, c *call, p automationParams) (done, error) {
	s, said, err := p.ahead(c)
	if err != nil {
		return done{}, err
	}
	if err := c.store.RoomForAutomations(ctx, c.made+1); err != nil {
		return done{}, err
	}
	ask := automation.Plain(p.Name, c.env.By)
	ask.ProviderID, ask.Schedule, ask.Owner = c.env.ProviderID, &s, c.env.Owner
	ask.Seed = domain.RichContent{LinearText: p.Request, Segments: []domain.Segment{
		{Type: domain.SegmentText, Text: p.Request, From: c.env.Writer.From()},
	}}
	a, change, err := c.catalogue.automations.Make(c.env.WorkspaceID, ask, c.env.Now, c.env.NewID)
	if err != nil {
		return done{}, err
	}
	schedule := cmp.Or(said[c.env.Settings.Language], said["en"]) // in the language of the session's prompt
	return done{
		text: fmt.Sprintf("Created the automation %s with the id %s: %s. It runs first on %s. The person finds it under Automations.",
			jsonbody.Quote(a.Name), a.ID, schedule.Description, schedule.Next[0].Said),
		result: jsonbody.Encode(createdAutomation{a.ID, a.Name, a.NextAt}),
		summary: domain.Say("Created the automation %s: %s", "Automatisation %s créée : %s",
			nameText(a.Name), descriptionText(said)),
		made: change,
	}, nil
}
