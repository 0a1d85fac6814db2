package domain

import "testing"

// A text is stored in the workspace's language, with the others beside it, and read in the person's.
func TestApprovalsAreReadInALanguage(t *testing.T) {
	text := Text{EN: "Delete it?", FR: "Le supprimer ?"}
	a := (&Approval{ID: "apr_1"}).Ask(text, "fr")
	a.Reasons = []ApprovalReason{ReasonOf(LevelOutside, "x", Text{EN: "read\u202e outside", FR: "lu dehors"}, "fr")}
	a.Actions = []ApprovalAction{{ID: "exe_1"}}
	a.Actions[0].Say("fr", Text{EN: "Delete Weight", FR: "Supprimer Poids"}, Text{EN: "old", FR: "ancien"})
	if a.Text != "Le supprimer ?" || a.Actions[0].Text != "Supprimer Poids" || a.Actions[0].Warnings[0] != "ancien" {
		t.Errorf("stored: %+v", a)
	}
	en := a.In("en")
	if en.Text != "Delete it?" || en.Reasons[0].Text != `read\u202e outside` || en.Actions[0].Text != "Delete Weight" || en.Actions[0].Warnings[0] != "old" {
		t.Errorf("in English: %+v", en)
	}
	if en.Translations != nil || en.Reasons[0].Translations != nil || en.Actions[0].Translations != nil {
		t.Error("a person is given the other languages too")
	}
	if a.Text != "Le supprimer ?" || a.Actions[0].Text != "Supprimer Poids" || a.In("") != a || (*Approval)(nil).In("en") != nil {
		t.Error("reading has changed what is stored")
	}
}

func TestReasonsAreNotRepeated(t *testing.T) {
	one := ReasonOf(LevelOutside, "x", Text{EN: "a", FR: "b"}, "en")
	same, other := ReasonOf(LevelOutside, "x", Text{EN: "a", FR: "c"}, "en"), ReasonOf(LevelOutside, "y", Text{EN: "a", FR: "b"}, "en")
	all := WithReason(nil, &one)
	if all = WithReason(all, &same); len(all) != 1 {
		t.Errorf("the same reason twice: %+v", all)
	}
	if all = WithReason(all, &other); len(all) != 2 {
		t.Errorf("another reason: %+v", all)
	}
}

func TestErrorsAreReadInALanguage(t *testing.T) {
	e := ErrorOf("invalid", Text{EN: "Too large.", FR: "Trop grand."}, "en")
	if fr := e.In("fr"); fr.Message != "Trop grand." || fr.Translations != nil || e.Message != "Too large." {
		t.Errorf("%+v, stored %+v", fr, e)
	}
	if e.In("") != e || (*CommandError)(nil).In("fr") != nil {
		t.Error("without a language it is as it is stored")
	}
}
