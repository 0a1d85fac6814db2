package ai

import "github.com/fermata-dev/fermata/domain"

// maxPromptFiles bounds how many files are named of one prompt: an answer of a long session
// would otherwise list all that was ever sent.
const maxPromptFiles = domain.MaxMessageFiles

// PromptFiles are the files of one prompt, and how many more there were.
type PromptFiles struct {
	Files []domain.PromptFile
	Older int
	at    map[string]int
}

// Add counts a file. One that occurs several times is listed once, in its most complete form, with the sum
// of their costs.
func (p *PromptFiles) Add(f domain.PromptFile) {
	if p.at == nil {
		p.at = map[string]int{}
	}
	at, known := p.at[f.ID]
	switch {
	case !known && len(p.Files) == maxPromptFiles:
		p.at[f.ID] = -1
		p.Older++
	case !known:
		p.at[f.ID] = len(p.Files)
		p.Files = append(p.Files, f)
	case at >= 0:
		kept := &p.Files[at]
		kept.Tokens += f.Tokens
		if more(f.As, kept.As) {
			kept.As, kept.Why = f.As, f.Why
		}
	}
}

// more reports which of two forms contains more.
func more(a, b domain.FileAs) bool { return a != domain.FileAsReference && b == domain.FileAsReference }
