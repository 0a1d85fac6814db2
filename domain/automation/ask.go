package automation

import "github.com/fermata-dev/fermata/domain"

// RunRequest requests a run of an automation. Its fields override the automation's in this run; zero
// values do not.
type RunRequest struct {
	By         string
	ProviderID string
	Model      string
	// Rich takes the place of the SEED's messages; its periods are still relative.
	Rich *domain.RichContent
}

// NewAutomation asks for an automation: everything in it was checked, its Seed has its
// enrichments resolved with their periods still relative.
type NewAutomation struct {
	Name              string
	ProviderID        string
	Enabled           bool
	Schedule          *Schedule
	Misfire           MisfirePolicy
	Overlap           OverlapPolicy
	Lane              LanePolicy
	Validation        string
	RequireValidation bool
	Completion        CompletionPolicy
	Tags              []string
	Commands          []string
	Triggers          []Trigger
	Budgets           domain.Budgets
	Seed              domain.RichContent
	By                string
	Owner             string // the id of the person who creates it
}

// Plain asks for an automation that is as one is when nothing more is said of it.
func Plain(name, by string) NewAutomation {
	return NewAutomation{
		Name: name, Enabled: true, Misfire: MisfireOnce, Overlap: OverlapSkip, Lane: laneOwner, Completion: CompletionAuto,
		Commands: []string{domain.AllCommands}, By: by,
	}
}
