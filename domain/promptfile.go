package domain

// FileAs is the form of a file in a prompt.
type FileAs string

const (
	FileAsPicture   FileAs = "picture"   // the model saw it
	FileAsText      FileAs = "text"      // the model read it
	FileAsReference FileAs = "reference" // its name and id alone
)

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
