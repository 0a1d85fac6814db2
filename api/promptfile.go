package api

import (
	"strings"

	"github.com/fermata-dev/fermata/domain"
)

// answerPromptFrom says what files the AI was given for an answer.
func answerPromptFrom(m *domain.Message, settings *domain.Settings) *AnswerPrompt {
	if m == nil {
		return nil
	}
	return &AnswerPrompt{
		MessageID: m.ID, PromptFiles: m.Raw.PromptFiles, OlderPromptFiles: m.Raw.OlderPromptFiles,
		Text: speechIn(settings.Language).promptFiles(m.Raw),
	}
}

// promptFiles says in a sentence what of files stood in the prompt of an answer; "" for none.
func (s speech) promptFiles(a *domain.RawAnswer) string {
	if a == nil || len(a.PromptFiles) == 0 {
		return ""
	}
	parts := make([]string, 0, len(a.PromptFiles)+1)
	for i := range a.PromptFiles {
		f := &a.PromptFiles[i]
		parts = append(parts, s.say("%s, %s (about %d tokens)", "%s, %s (environ %d jetons)",
			s.quote(oneLine(f.Name)), s.pick(standsAs(f)), f.Tokens))
	}
	if n := a.OlderPromptFiles; n > 0 {
		parts = append(parts, s.say("and %d older ones", "et %d plus anciens", n))
	}
	return s.say("Files before the AI: %s.", "Fichiers devant l’IA : %s.", strings.Join(parts, s.say("; ", " ; ")))
}

// standsAs says as what a file stood in a prompt, and why no more of it did.
func standsAs(f *domain.PromptFile) [2]string {
	switch f.Why {
	case domain.FileDeleted:
		return [2]string{"by name only, as it was deleted", "par son nom seul, car supprimé"}
	case domain.FileUnseen:
		return [2]string{"by name only, as the model sees no pictures", "par son nom seul, car le modèle ne voit pas les images"}
	case domain.FileShownBefore:
		return [2]string{"by name only, as it was seen in an earlier round", "par son nom seul, car vu à un tour précédent"}
	case domain.FileTooMuchShown:
		return [2]string{"by name only, as the pictures were too large together", "par son nom seul, car les images étaient trop lourdes ensemble"}
	case domain.FileCut:
		return [2]string{"read in part, as it is too long", "lu en partie, car trop long"}
	}
	if f.As == domain.FileAsPicture {
		return [2]string{"seen as a picture", "vu comme image"}
	}
	return [2]string{"read as text", "lu comme texte"}
}
