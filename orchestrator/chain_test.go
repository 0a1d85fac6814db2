package orchestrator

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/domain/ai"
	"github.com/fermata-dev/fermata/providers"
)

// fakeModels are several providers, by id; "" is the session's own.
type fakeModels struct {
	models map[string]*fakeModel
	json   string // the one that speaks the JSON protocol
}

func (m *fakeModels) For(_ context.Context, _, id string) (*providers.Model, error) {
	provider := m.models[id]
	if provider == nil {
		return nil, domain.Errorf("provider_missing", "It is gone.")
	}
	model := &providers.Model{Provider: provider, ID: "prv_" + id, Kind: "fake", Name: "model-" + id, Protocol: domain.ProtocolNative}
	if id == m.json {
		model.Protocol = domain.ProtocolJSON
	}
	return model, nil
}

func (m *fakeModels) Known(workspace, id string) *providers.Model {
	model, _ := m.For(context.Background(), workspace, id)
	return model
}

func (m *fakeModel) fail(e *providers.Error) {
	m.then(func(_ context.Context, r *providers.Request) (*providers.Answer, error) {
		if e.Partial {
			r.OnDelta(providers.Delta{Kind: providers.DeltaText, Text: "Half an"})
		}
		return nil, e
	})
}

// withFallbacks is a world whose session's provider may be followed by others.
func withFallbacks(t *testing.T, ids ...string) (*world, *fakeModels) {
	t.Helper()
	w := newWorld(t)
	models := &fakeModels{models: map[string]*fakeModel{"": w.model}, json: "none"}
	for _, id := range ids {
		models.models[id] = &fakeModel{}
	}
	w.ws.Settings.FallbackProviders = ids
	w.loop.cfg.Models = models
	return w, models
}

func (w *world) calls() (all []string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, r := range w.roundtrips {
		all = append(all, r.ProviderID+" "+r.Outcome)
	}
	return all
}

// A provider that is down is no reason to fail while another one answers. Each call
// that was made is kept, with its provider.
func TestAnotherProviderAnswersWhenTheFirstIsDown(t *testing.T) {
	for name, e := range map[string]*providers.Error{
		"network":      {Class: providers.ClassNetwork},
		"overloaded":   {Class: providers.ClassOverloaded},
		"rate limited": {Class: providers.ClassRateLimited, RetryAfter: time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			w, models := withFallbacks(t, "b", "c")
			w.model.fail(e)
			models.models["b"].fail(&providers.Error{Class: providers.ClassAuthentication})
			models.models["c"].text("From c.")
			w.say("Hello")
			if s := w.rest(); s.Phase != domain.Idle || s.State.RoundRoundtrips != 1 || s.Model != "model-c" {
				t.Errorf("%s, %d roundtrips, model %s", s.Phase, s.State.RoundRoundtrips, s.Model)
			}
			if got := w.said(); !slices.Equal(got, []string{"USER:Hello", "AI:From c."}) {
				t.Errorf("the record is %v", got)
			}
			want := []string{"prv_ " + string(e.Class), "prv_b authentication", "prv_c answered"}
			if got := w.calls(); !slices.Equal(got, want) {
				t.Errorf("the calls are %v", got)
			}
		})
	}
}

// A call that was not made is no call; the next provider is asked all the same.
func TestAProviderKnownToBeDownIsPassedOver(t *testing.T) {
	w, models := withFallbacks(t, "b")
	w.model.fail(&providers.Error{Class: providers.ClassNetwork, NotCalled: true, RetryAfter: time.Minute})
	models.models["b"].text("From b.")
	w.say("Hello")
	w.rest()
	if got := w.calls(); !slices.Equal(got, []string{"prv_b answered"}) {
		t.Errorf("the calls are %v", got)
	}
}

// What is wrong with the question itself, or refused, would be so elsewhere too; and an
// answer that broke off was made: it is not made a second time.
func TestNoSecondCallWhereOneWasEnough(t *testing.T) {
	for name, e := range map[string]*providers.Error{
		"wrong key":        {Class: providers.ClassAuthentication},
		"refused":          {Class: providers.ClassRefused},
		"invalid":          {Class: providers.ClassInvalidRequest},
		"max_tokens":       {Class: providers.ClassMaxTokens},
		"broken off":       {Class: providers.ClassNetwork, Partial: true},
		"overloaded later": {Class: providers.ClassOverloaded, Partial: true},
	} {
		t.Run(name, func(t *testing.T) {
			w, models := withFallbacks(t, "b")
			w.streams.watched = true
			w.model.fail(e)
			models.models["b"].text("From b.")
			w.say("Hello")
			w.rest()
			if len(models.models["b"].asked) != 0 {
				t.Error("the fallback was called")
			}
			want := []string{"USER:Hello", "NETWORK_ERROR"}
			if e.Partial { // what the person has read stays
				want = []string{"USER:Hello", "AI:Half an", "NETWORK_ERROR"}
			}
			if got := w.said(); !slices.Equal(got, want) {
				t.Errorf("the record is %v", got)
			}
		})
	}
}

// TestAllAreDown verifies that when all providers are down, the message to the person contains each provider's
// error and the earliest time of a retry.
func TestAllAreDown(t *testing.T) {
	w, models := withFallbacks(t, "gone", "b")
	delete(models.models, "gone")
	w.model.fail(&providers.Error{Class: providers.ClassNetwork, Message: "no route", RetryAfter: time.Hour, NotCalled: true})
	models.models["b"].fail(&providers.Error{Class: providers.ClassOverloaded, Message: "too busy", RetryAfter: 30 * time.Second})
	w.say("Hello")
	w.rest()
	said := w.messages[1].System
	for _, want := range []string{"no route", "the fallback model-b: too busy"} {
		if !strings.Contains(said.Detail, want) {
			t.Errorf("%q is missing in %q", want, said.Detail)
		}
	}
	if said.Code != domain.FailureNetwork || said.RetryAt == nil || said.RetryAt.Sub(w.messages[1].Timestamp) != 30*time.Second || said.ProviderID == "" {
		t.Errorf("it is recorded as %+v", said)
	}
	if got := w.calls(); !slices.Equal(got, []string{"prv_b overloaded"}) {
		t.Errorf("the calls are %v", got)
	}
}

// A run waits a moment for its own provider; a person does not.
func TestARunWaitsAShortWhile(t *testing.T) {
	for wait, want := range map[time.Duration]int{time.Second: 0, time.Minute: 1, 0: 1} {
		w, models := withFallbacks(t, "b")
		w.session.Type, w.session.Phase = domain.Run, domain.WaitingNetworkRetry
		w.session.State.Waiting = &domain.WaitingContext{Kind: domain.WaitNetworkRetry}
		w.model.fail(&providers.Error{Class: providers.ClassRateLimited, RetryAfter: wait})
		models.models["b"].calls("COMPLETE", "{}")
		w.deliver(domain.NetworkAvailable{})
		w.rest()
		if got := len(models.models["b"].asked); got != want {
			t.Errorf("after %s the fallback was called %d times, want %d", wait, got, want)
		}
	}
}

// The question is put in the form that the other provider takes.
func TestTheFallbackIsAskedInItsOwnProtocol(t *testing.T) {
	w, models := withFallbacks(t, "b")
	models.json = "b"
	w.model.calls("ZONES", "{}")
	w.model.fail(&providers.Error{Class: providers.ClassOverloaded})
	models.models["b"].then(func(context.Context, *providers.Request) (*providers.Answer, error) {
		return &providers.Answer{Raw: &domain.RawAnswer{Protocol: domain.ProtocolJSON, Text: `{"pre_text": "None."}`, StopReason: "stop"}}, nil
	})
	w.say("How many zones?")
	w.rest()
	if got := w.said(); !slices.Equal(got, []string{"USER:How many zones?", "AI:", "DATA_ADDED", "AI:None."}) {
		t.Errorf("the record is %v", got)
	}
	ask := models.models["b"].asked[0]
	if ask.Protocol != domain.ProtocolJSON || len(ask.Commands) != 0 {
		t.Errorf("asked with %s and %d commands", ask.Protocol, len(ask.Commands))
	}
	for _, turn := range ask.Turns {
		for _, b := range turn.Blocks {
			if b.Kind != ai.BlockText {
				t.Errorf("a block of kind %s goes to a provider without calls", b.Kind)
			}
		}
	}
}
