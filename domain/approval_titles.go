package domain

// approvalTitles are the titles of approvals wherever people read them: in notifications, behind links and in the
// terminal. Each kind has one.
var approvalTitles = map[ApprovalKind]Text{
	ApprovalActions:     {"A change needs your approval", "Une modification attend votre accord"},
	ApprovalQuestion:    {"A question for you", "Une question pour vous"},
	ApprovalBudget:      {"A budget is used up", "Un budget est épuisé"},
	ApprovalCompletion:  {"Is this finished?", "Est-ce terminé ?"},
	ApprovalOutcome:     {"A call has an unknown outcome", "On ne sait pas ce qu’est devenu un appel"},
	ApprovalPoisoned:    {"A session has failed repeatedly", "Une session a échoué plusieurs fois"},
	ApprovalReconnect:   {"A sign-in is required", "Quelqu’un doit se connecter"},
	ApprovalClientCalls: {"A program has to run a tool of its own", "Un programme doit exécuter un outil à lui"},
}

// Title summarises an approval of that kind in one line without content; actions is the number of its actions.
func (k ApprovalKind) Title(actions int) Text {
	if k == ApprovalActions && actions > 1 {
		return Say("%d changes need your approval", "%d modifications à approuver", actions)
	}
	if title, known := approvalTitles[k]; known {
		return title
	}
	return Say("Fermata needs you", "Fermata a besoin de vous")
}

// TitleOf summarises approvals in one line without content.
func TitleOf(approvals []*Approval) Text {
	if len(approvals) == 1 {
		return approvals[0].Title()
	}
	return Say("%d requests need your answer", "%d demandes en attente", len(approvals))
}

// Title summarises the approval in one line without content.
func (a *Approval) Title() Text { return a.Kind.Title(len(a.Actions)) }
