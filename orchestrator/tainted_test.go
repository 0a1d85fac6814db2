package orchestrator

import (
	"context"
	"strings"
	"testing"

	"github.com/fermata-dev/fermata/domain"
)

// untrusting offers the same commands, of which the workspace trusts none.
type untrusting struct{ *fakeOutside }

func (u untrusting) Offers(ctx context.Context, workspace string) ([]domain.CommandSpec, error) {
	specs, err := u.fakeOutside.Offers(ctx, workspace)
	for i := range specs {
		specs[i].Trusted, specs[i].ConnectorName = false, "Shop"
	}
	return specs, err
}

// What was read outside, and in what order, decides whether a person is asked: the whole way
// from the model's answer to the card, on which each action stands in words.
func TestWordsFromOutsideAskAPerson(t *testing.T) {
	const find, pay, read, zone = "SHOP_FIND", "SHOP_PAY", "ZONES", "CREATE_ZONE"
	for name, c := range map[string]struct {
		answers [][]string // each with the calls of one answer
		asked   string     // what the last card shows; "": no approval is requested
		sent    int
	}{
		"nothing read":             {[][]string{{pay}}, "", 1},
		"own data read":            {[][]string{{read}, {pay}}, "", 1},
		"a page read":              {[][]string{{find}, {pay}}, "SHOP.PAY", 1},
		"a page read before":       {[][]string{{find}, {read}, {pay}}, "SHOP.PAY", 1},
		"beside the page":          {[][]string{{find, pay}}, "", 2},
		"own data changed":         {[][]string{{find}, {zone}}, "", 1},
		"own data changed, beside": {[][]string{{find}, {zone, pay}}, "CREATE_ZONE SHOP.PAY", 1},
		"what it answered":         {[][]string{{pay}, {pay}}, "SHOP.PAY", 1},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			out := withOutside(w)
			w.loop.cfg.Outside = untrusting{out}
			for i, calls := range c.answers {
				var pairs []string
				for _, call := range calls {
					args := map[string]string{find: `{}`, read: `{}`, zone: `{"name":"A"}`, pay: `{"n":` + string(rune('1'+i)) + `}`}[call]
					pairs = append(pairs, call, args)
				}
				w.model.calls(pairs...)
			}
			w.model.text("Well.")
			w.say("go")
			s := w.rest()
			asks := s.Phase == domain.WaitingValidation
			if asks != (c.asked != "") || out.called() != c.sent {
				t.Fatalf("%s after %d calls", s.Phase, out.called())
			}
			for _, a := range w.open {
				var cards []string
				for _, card := range a.Actions {
					cards = append(cards, card.Command)
					if card.Text == card.Command || card.Digest == "" {
						t.Errorf("the card of %s says %q, digest %q", card.Command, card.Text, card.Digest)
					}
				}
				if got := strings.Join(cards, " "); got != c.asked {
					t.Errorf("the cards are %s, want %s", got, c.asked)
				}
				last := a.Reasons[len(a.Reasons)-1]
				if len(a.Reasons) != 1 || last.Level != domain.LevelOutside || !strings.Contains(last.Text, "(Shop)") {
					t.Errorf("asked because of %+v", a.Reasons)
				}
			}
		})
	}
}

// unreviewed offers commands whose descriptions no person has looked at, for as long as it offers any.
type unreviewed struct{ untrusting }

func (u unreviewed) Offers(ctx context.Context, workspace string) ([]domain.CommandSpec, error) {
	specs, err := u.untrusting.Offers(ctx, workspace)
	for i := range specs {
		specs[i].Source, specs[i].Unreviewed = domain.SourceMCP, true
	}
	return specs, err
}

// A model that was offered them has read external content, also when they are reviewed afterwards.
func TestUnreviewedDescriptionsNeedAnApproval(t *testing.T) {
	w := newWorld(t)
	out := withOutside(w)
	w.loop.cfg.Outside = unreviewed{untrusting{out}}
	w.model.text("Hello.")
	w.say("hello")
	if s := w.rest(); s.State.Taint == nil || s.State.Taint.Parts != 1 || s.State.Taint.Sources[0].Role != domain.WordsDescription {
		t.Fatalf("the taint is %+v", s.State.Taint)
	}
	w.loop.cfg.Outside = untrusting{out}
	w.model.calls("SHOP_PAY", `{"n":1}`)
	w.model.text("Well.")
	w.say("go")
	if s := w.rest(); s.Phase != domain.WaitingValidation || out.called() != 0 {
		t.Fatalf("%s after %d calls", s.Phase, out.called())
	}
	for _, a := range w.open {
		if text := a.Reasons[0].Text; !strings.Contains(text, "descriptions of commands that no person has reviewed, of Shop") {
			t.Errorf("asked because of %q", text)
		}
	}
}
