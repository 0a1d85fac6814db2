package linkpage

import (
	"encoding/json"
	"slices"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/domain/people"
	"github.com/fermata-dev/fermata/internal/visible"
)

// moduleData is what a question has.
type moduleData struct {
	Question    string   `json:"question"`
	Message     string   `json:"message"`
	Title       string   `json:"title"`
	Placeholder string   `json:"placeholder"`
	Options     []string `json:"options"`
	Multiple    bool     `json:"multiple"`
	AllowOther  bool     `json:"allow_other"`
	Steps       []string `json:"steps"`
}

func dataOf(a *domain.Approval) moduleData {
	var d moduleData
	if a.Module != nil {
		_ = json.Unmarshal(a.Module.Data, &d) // it was checked when it was asked; what is missing is empty
	}
	return d
}

// Of is the card of an approval, without a form.
func Of(a *domain.Approval, link *people.ApprovalLink, s *domain.Settings) *Page {
	d := dataOf(a)
	p := &Page{Language: s.Language, Title: a.Title().In(s.Language), Words: wordsIn(s), Text: visible.Text(a.Text)}
	for _, text := range []string{d.Title, d.Question, d.Message} {
		if p.Text == "" {
			p.Text = visible.Text(text)
		}
	}
	for i := range a.Actions {
		p.Actions = append(p.Actions, actionOf(&a.Actions[i]))
	}
	for _, step := range d.Steps {
		p.Steps = append(p.Steps, visible.Text(step))
	}
	for _, reason := range a.Reasons {
		if text := visible.Text(reason.Text); !slices.Contains(p.Reasons, text) {
			p.Reasons = append(p.Reasons, text)
		}
	}
	if link.Recipient != "" {
		p.To = s.Say("This link was made for %s. Anyone who has it can answer this one question, and see nothing else.",
			"Ce lien a été fait pour %s. Qui le détient peut répondre à cette seule question, et ne voit rien d’autre.",
			visible.Text(link.Recipient))
	} else {
		p.To = s.Say("Anyone who has this link can answer this one question, and see nothing else.",
			"Qui détient ce lien peut répondre à cette seule question, et ne voit rien d’autre.")
	}
	if a.Status != domain.ApprovalStatusOpen {
		p.Settled = settledAs(a, s)
		p.Comment = commentOf(a)
		return p
	}
	if a.Sensitive(domain.Decision{Approved: true}) {
		p.Reasons = append(p.Reasons, s.Say("It is sensitive: approving it needs a passkey, in Fermata itself. Here it can be refused.",
			"C’est une action sensible : un oui se signe avec une clé d’accès, dans Fermata même. Ici, on peut la refuser."))
	}
	p.Until = s.Say("An answer is possible until %s.", "On peut répondre jusqu’à cette date : %s.", s.When(link.ExpiresAt))
	return p
}

// commentOf is the word that came with an answer.
func commentOf(a *domain.Approval) string {
	var d struct {
		Comment string `json:"comment"`
	}
	_ = json.Unmarshal(a.Decision, &d) // ours; without one there is nothing to show
	return visible.Text(d.Comment)
}

// FormFor is how an approval is answered; nil: not by a link.
func FormFor(a *domain.Approval, s *domain.Settings) *Form {
	yes := func(value, label string) Button { return Button{value, label, "yes"} }
	no := func(value, label string) Button { return Button{value, label, "no"} }
	switch a.Kind {
	case domain.ApprovalActions:
		return &Form{Comment: true, Buttons: []Button{
			yes(answerYes, s.Say("Approve", "Approuver")), no(answerNo, s.Say("Refuse", "Refuser")),
		}}
	case domain.ApprovalBudget:
		return &Form{Buttons: []Button{
			yes(answerYes, s.Say("Go on", "Continuer")), no(answerNo, s.Say("Stop there", "S’arrêter là")),
		}}
	case domain.ApprovalCompletion:
		return &Form{Comment: true, Buttons: []Button{
			yes(answerYes, s.Say("It is finished", "C’est terminé")), no(answerNo, s.Say("Not yet", "Pas encore")),
		}}
	case domain.ApprovalOutcome:
		return &Form{Buttons: []Button{
			yes(domain.OutcomeHappened, s.Say("It was done", "C’est fait")),
			no(domain.OutcomeDidNot, s.Say("It was not done", "Ce n’est pas fait")),
			{domain.OutcomeRunAgain, s.Say("Run it again", "Recommencer"), ""},
		}}
	case domain.ApprovalPoisoned:
		return &Form{Buttons: []Button{yes(answerYes, s.Say("Try again", "Réessayer")), no(answerNo, s.Say("Stop", "Arrêter"))}}
	case domain.ApprovalReconnect:
		return &Form{Buttons: []Button{
			yes(answerYes, s.Say("Signed in: try again", "Connecté : réessayer")), no(answerNo, s.Say("Do without", "S’en passer")),
		}}
	case domain.ApprovalClientCalls:
		return &Form{Buttons: []Button{no(answerNo, s.Say("Stop waiting", "Ne plus attendre"))}}
	case domain.ApprovalQuestion:
		return questionForm(a, s)
	}
	return nil
}

func questionForm(a *domain.Approval, s *domain.Settings) *Form {
	d := dataOf(a)
	send := Button{answerYes, s.Say("Send", "Envoyer"), "yes"}
	cancel := Button{answerNone, s.Say("Do not answer", "Ne pas répondre"), "no"}
	if a.Module == nil {
		return nil
	}
	switch a.Module.Type {
	case moduleValidation, modulePlan:
		return &Form{Buttons: []Button{{answerYes, s.Say("Yes", "Oui"), "yes"}, {answerNo, s.Say("No", "Non"), "no"}}}
	case moduleChoice:
		options := make([]Option, len(d.Options))
		for i, text := range d.Options {
			options[i] = Option{text, visible.Text(text)}
		}
		return &Form{Options: options, Multiple: d.Multiple, Other: d.AllowOther, Buttons: []Button{send, cancel}}
	case moduleText:
		return &Form{Value: true, Placeholder: visible.Line(d.Placeholder), Buttons: []Button{send, cancel}}
	}
	return nil // a form with fields of its own is answered on the server's page
}
