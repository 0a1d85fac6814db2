package automations

import (
	"errors"
	"strings"
	"testing"

	"github.com/fermata-dev/fermata/domain/automation"
)

func webhook(v *automation.View) {
	v.Automation.Triggers = []automation.Trigger{{Type: automation.TriggerWebhook}}
}

// Whether an automation gets a secret: with a webhook trigger, and once. Who has the URL
// keeps it, whatever else is changed.
func TestGiveHook(t *testing.T) {
	hook, entries := automation.Trigger{Type: automation.TriggerWebhook}, automation.Trigger{Type: automation.TriggerEntryCreated, ToolID: "tool"}
	for name, c := range map[string]struct {
		triggers []automation.Trigger
		have     string
		given    bool
	}{
		"no trigger":                  {nil, "", false},
		"entries only":                {[]automation.Trigger{entries}, "", false},
		"a webhook":                   {[]automation.Trigger{hook}, "", true},
		"a webhook behind another":    {[]automation.Trigger{entries, hook}, "", true},
		"a webhook that is known":     {[]automation.Trigger{hook}, "known", false},
		"a webhook that was given up": {nil, "known", false},
	} {
		_, cfg := newWorld(t, hourly())
		a := &automation.Automation{ID: "aut", WorkspaceID: "ws", Triggers: c.triggers, HookSecret: automation.HookSecret{HookHash: c.have, HookSealed: c.have}}
		if err := NewService(cfg).giveHook(a); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if given := strings.HasPrefix(a.HookSealed, "sealed:"); given != c.given || !given && a.HookHash != c.have {
			t.Errorf("%s: it has %q, %q", name, a.HookHash, a.HookSealed)
		}
	}
}

// Two secrets are never the same, and neither is kept in clear.
func TestEachSecretIsNew(t *testing.T) {
	_, cfg := newWorld(t, hourly())
	seen := map[string]bool{}
	for range 3 {
		a := &automation.Automation{Triggers: []automation.Trigger{{Type: automation.TriggerWebhook}}}
		if err := NewService(cfg).giveHook(a); err != nil {
			t.Fatal(err)
		}
		token := strings.TrimPrefix(a.HookSealed, "sealed:")
		if seen[token] || strings.Contains(a.HookHash, token) || !isHook(a, token) || isHook(a, strings.ToUpper(token)) {
			t.Errorf("the secret %q is kept as %q", token, a.HookHash)
		}
		seen[token] = true
	}
}

// A secret that cannot be sealed is not given: nothing is written.
func TestASecretThatCannotBeSealed(t *testing.T) {
	away := errors.New("no key")
	sealed := func(string, string, string) (string, error) { return "", away }
	for name, do := range map[string]func(*Service) error{
		"made": func(s *Service) error {
			_, _, err := s.CreateAutomation(t.Context(), "ws", automation.NewAutomation{Triggers: []automation.Trigger{{Type: automation.TriggerWebhook}}})
			return err
		},
		"changed": func(s *Service) error {
			triggers := []automation.Trigger{{Type: automation.TriggerWebhook}}
			_, _, err := s.UpdateAutomation(t.Context(), "ws", "aut", automation.Patch{Triggers: &triggers})
			return err
		},
		"renewed": func(s *Service) error {
			_, _, err := s.RenewHook(t.Context(), "ws", "aut")
			return err
		},
	} {
		w, cfg := newWorld(t, hourly())
		if name == "renewed" {
			webhook(w.view)
		}
		cfg.SealHook = sealed
		if err := do(NewService(cfg)); !errors.Is(err, away) || len(w.plans) != 0 || w.looks != 0 {
			t.Errorf("%s: %v, %d plans, %d looks", name, err, len(w.plans), w.looks)
		}
	}
}

// The seal is bound to the workspace and the automation that it is for.
func TestWhatTheSealIsFor(t *testing.T) {
	_, cfg := newWorld(t, hourly(webhook))
	var bound []string
	cfg.SealHook = func(workspace, automationID, _ string) (string, error) {
		bound = append(bound, workspace+"/"+automationID)
		return "sealed", nil
	}
	if _, _, err := NewService(cfg).RenewHook(t.Context(), "ws", "aut"); err != nil || len(bound) != 1 || bound[0] != "ws/aut" {
		t.Errorf("%v, %q", err, bound)
	}
}
