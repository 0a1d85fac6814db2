package domain

import (
	"cmp"
	"regexp"
	"strings"
	"time"
)

// FailureCode is why the AI did not answer.
type FailureCode string

// Those that are no class of a provider's failure. The others are its class behind "provider_".
const (
	FailureNetwork   FailureCode = "provider_network"
	FailureUnusable  FailureCode = "provider_unusable"
	FailureForbidden FailureCode = "host_not_allowed"
	FailureTooLarge  FailureCode = "context_too_large"
	FailureInternal  FailureCode = "internal"
	// FailureAnswerFormat: the AI's answer does not satisfy the schema that the message asks for.
	FailureAnswerFormat FailureCode = "answer_schema"
)

// failureTexts describe the problem and what to do, as the end of a sentence about a session.
var failureTexts = map[FailureCode]Text{
	FailureNetwork:            {EN: "the AI provider can’t be reached.", FR: "le fournisseur d’IA est injoignable."},
	"provider_rate_limited":   {EN: "the AI provider is limiting requests.", FR: "le fournisseur d’IA limite les requêtes."},
	"provider_overloaded":     {EN: "the AI provider is overloaded.", FR: "le fournisseur d’IA est surchargé."},
	"provider_authentication": {EN: "the AI provider refused the key. Check the provider.", FR: "le fournisseur d’IA a refusé la clé. Vérifiez le fournisseur."},
	"provider_invalid_request": {
		EN: "the AI provider refused the request. Check the provider.", FR: "le fournisseur d’IA a refusé la requête. Vérifiez le fournisseur.",
	},
	"provider_max_tokens": {
		EN: "the longest answer that is asked for is too long for this model. Set a smaller max_tokens.",
		FR: "la plus longue réponse demandée est trop longue pour ce modèle. Réglez un max_tokens plus petit.",
	},
	"provider_quota": {
		EN: "the quota or the balance at the AI provider is used up.", FR: "le quota ou le solde chez le fournisseur d’IA est épuisé.",
	},
	"provider_refused": {EN: "the AI provider refused to answer this.", FR: "le fournisseur d’IA a refusé de répondre à cela."},
	FailureUnusable: {
		EN: "the AI provider can’t be used as it is set up. Check the provider.",
		FR: "le fournisseur d’IA est inutilisable tel qu’il est réglé. Vérifiez le fournisseur.",
	},
	FailureForbidden: {
		EN: "this server is not allowed to call the AI provider’s host. Its operator can allow it with FERMATA_ALLOWED_HOSTS.",
		FR: "ce serveur n’a pas le droit d’appeler l’hôte du fournisseur d’IA. Son exploitant peut l’autoriser avec FERMATA_ALLOWED_HOSTS.",
	},
	FailureTooLarge: {
		EN: "this has become too long for the model. Write shorter messages, shorten the published documents and the data " +
			"that is always sent, or choose a larger model.",
		FR: "c’est devenu trop long pour le modèle. Écrivez des messages plus courts, raccourcissez les documents publiés et les " +
			"données toujours envoyées, ou choisissez un modèle plus grand.",
	},
	FailureAnswerFormat: {
		EN: "the AI’s answer does not satisfy the schema that was asked for, not after a correction either.",
		FR: "la réponse de l’IA ne correspond pas au schéma demandé, même après une correction.",
	},
	FailureInternal: {EN: "something went wrong on the server.", FR: "une erreur est survenue sur le serveur."},
}

// Text describes the problem and what to do, as the end of a sentence about a session. A code without a
// text of its own means that the provider gave no answer.
func (c FailureCode) Text() Text {
	if text, ok := failureTexts[c]; ok {
		return text
	}
	return Say("the AI provider gave no answer. Check the provider.", "le fournisseur d’IA n’a pas répondu. Vérifiez le fournisseur.")
}

// Summary is Text as a sentence of its own.
func (c FailureCode) Summary() Text { return About("", c.Text()) }

// Why is the summary of a failed call with what the provider said, for programs that show one text.
func (m *SystemMessage) Why() string {
	if m.Detail == "" {
		return m.Summary
	}
	return m.Summary + " (" + strings.TrimRight(m.Detail, ". ") + ")"
}

var (
	codeBehind  = regexp.MustCompile(`(?s)^(.*) \(([a-z]\w*)\)$`)
	againBehind = regexp.MustCompile(` It may be called again at [0-9:]+ UTC \(in ([0-9hms.]+)\)\.$`)
)

const (
	callFailed = "The call of the AI failed: "
	stillKept  = " Your message is kept; retry when the provider is back."
)

// Failure reads apart what earlier versions recorded as one sentence of a failed call, at an instant;
// anything else is given back as it is.
func (m *SystemMessage) Failure(at time.Time) *SystemMessage {
	if m == nil || m.Type != SystemNetworkError || m.Code != "" {
		return m
	}
	own, text := *m, m.Summary
	if part := codeBehind.FindStringSubmatch(text); part != nil && !strings.HasPrefix(text, callFailed) {
		own.Code, own.Detail = FailureCode(part[2]), part[1]
	} else if rest, failed := strings.CutPrefix(text, callFailed); failed {
		own.Code = FailureNetwork
		if part := againBehind.FindStringSubmatch(rest); part != nil {
			if wait, err := time.ParseDuration(part[1]); err == nil {
				own.RetryAt = new(at.Add(wait))
			}
			rest = strings.TrimSuffix(rest, part[0])
		}
		own.Detail = strings.TrimSuffix(rest, stillKept)
	} else {
		return m
	}
	summary := own.Code.Summary()
	own.Summary = cmp.Or(summary.EN, text)
	own.Translations = summary.Beside("en")
	return &own
}
