package domain

// FileAs is the form of a file in a prompt.
type FileAs string

const (
	FileAsPicture   FileAs = "picture"   // the model saw it
	FileAsText      FileAs = "text"      // the model read it
	FileAsReference FileAs = "reference" // its name and id alone
)

// more reports which of two forms contains more.
func (a FileAs) more(b FileAs) bool { return a != FileAsReference && b == FileAsReference }

// FileWhy is why a prompt has less of a file than it contains; "": it has all of it.
type FileWhy string

const (
	FileDeleted      FileWhy = "deleted"
	FileUnseen       FileWhy = "model_cannot_see"
	FileShownBefore  FileWhy = "earlier_round" // a picture is only in the prompts of its round
	FileTooMuchShown FileWhy = "too_large"     // the pictures of a request have a room together
	FileCut          FileWhy = "cut"           // a text is cut to the available room
)

// PromptFile is a file as it stood in the prompt of an answer.
type PromptFile struct {
	ID     string  `json:"id"`
	Name   string  `json:"name"`
	As     FileAs  `json:"as"`
	Why    FileWhy `json:"why,omitempty"`
	Tokens int     `json:"tokens"` // estimated, what is said of it counted
}

// MaxPromptFiles bounds how many files are named of one prompt: an answer of a long session
// would otherwise list all that was ever sent.
const MaxPromptFiles = MaxMessageFiles

// PromptFiles are the files of one prompt, and how many more there were.
type PromptFiles struct {
	Files []PromptFile
	Older int
	at    map[string]int
}

// Add counts a file. One that occurs several times is listed once, in its most complete form, with the sum
// of their costs.
func (p *PromptFiles) Add(f PromptFile) {
	if p.at == nil {
		p.at = map[string]int{}
	}
	at, known := p.at[f.ID]
	switch {
	case !known && len(p.Files) == MaxPromptFiles:
		p.at[f.ID] = -1
		p.Older++
	case !known:
		p.at[f.ID] = len(p.Files)
		p.Files = append(p.Files, f)
	case at >= 0:
		kept := &p.Files[at]
		kept.Tokens += f.Tokens
		if f.As.more(kept.As) {
			kept.As, kept.Why = f.As, f.Why
		}
	}
}
