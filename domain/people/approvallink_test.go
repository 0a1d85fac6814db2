package people

import (
	"testing"
	"time"

	"github.com/fermata-dev/fermata/domain"
)

func askedOf(change ...func(*domain.Approval)) *domain.Approval {
	a := &domain.Approval{
		ID: "apv_1", WorkspaceID: "w", SessionID: "ses_1", Text: "Delete it?",
		Actions: []domain.ApprovalAction{{ID: "act_1", Digest: "d1"}},
	}
	for _, c := range change {
		c(a)
	}
	return a
}

// TestLinkLeadsToWhatWasAsked: a link ends with the question that it was made for, and with each withdrawal.
func TestLinkLeadsToWhatWasAsked(t *testing.T) {
	link, err := LinkTo(askedOf(), "ann@example.com", keyTime)
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		change func(*domain.Approval)
		leads  bool
	}{
		"unchanged":        {func(*domain.Approval) {}, true},
		"settled":          {func(a *domain.Approval) { a.SettledBy = "key_1" }, true},
		"another question": {func(a *domain.Approval) { a.Text = "Delete all?" }, false},
		"another action":   {func(a *domain.Approval) { a.Actions[0].Digest = "d2" }, false},
		"one more action":  {func(a *domain.Approval) { a.Actions = append(a.Actions, domain.ApprovalAction{ID: "act_2"}) }, false},
		"withdrawn":        {func(a *domain.Approval) { a.LinkEpoch = 1 }, false},
		"another approval": {func(a *domain.Approval) { a.ID = "apv_2" }, false},
	} {
		if leads := link.Leads(askedOf(c.change)); leads != c.leads {
			t.Errorf("%s: the link leads: %v", name, leads)
		}
	}
}

// TestLinkExpiresWithItsApproval: a link never outlives its approval, nor a week.
func TestLinkExpiresWithItsApproval(t *testing.T) {
	soon, late := keyTime.Add(time.Hour), keyTime.Add(2*ApprovalLinkLife)
	for _, c := range []struct {
		expires *time.Time
		want    time.Time
	}{{nil, keyTime.Add(ApprovalLinkLife)}, {&soon, soon}, {&late, keyTime.Add(ApprovalLinkLife)}} {
		link, err := LinkTo(askedOf(func(a *domain.Approval) { a.ExpiresAt = c.expires }), "", keyTime)
		if err != nil || !link.ExpiresAt.Equal(c.want) {
			t.Errorf("an approval until %v has a link until %v (%v), not %v", c.expires, link.ExpiresAt, err, c.want)
		}
	}
}

// TestRecipientOfALink: the author of an answer names the recipient of the link, who is read from it again.
func TestRecipientOfALink(t *testing.T) {
	for _, recipient := range []string{"", "ann@example.com", "a:b"} {
		author := (&ApprovalLink{Recipient: recipient}).Author()
		if got, link := RecipientOf(author.ID); !link || got != recipient || author.Role != domain.RoleAdmin {
			t.Errorf("the author %+v is read as %q, %v", author, got, link)
		}
	}
	for _, other := range []string{"", "key_1", "linked"} {
		if got, link := RecipientOf(other); link {
			t.Errorf("%q is read as a link of %q", other, got)
		}
	}
}
