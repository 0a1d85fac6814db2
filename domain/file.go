package domain

import (
	"strings"
	"time"
)

// What a file may be.
const (
	MaxFileBytes    = 10 << 20 // of what is uploaded, and of what is kept of it
	MaxMessageFiles = 20       // of one message
	maxFileName     = 200      // bytes
	// UnusedFileFor is how long a file is kept that no message refers to.
	UnusedFileFor = 24 * time.Hour
)

// Media types of files as they are kept.
const (
	MediaText = "text/plain"
	MediaPNG  = "image/png"
	MediaJPEG = "image/jpeg"
)

// About files.
const (
	CodeUnsupportedFile Code = "unsupported_file" // neither a picture that is read, nor text
	CodeUnreadableFile  Code = "unreadable_file"  // it is declared as a picture and is none
	CodeFilesFull       Code = "files_full"       // the workspace has no room for another
	CodeTooManyPixels   Code = "too_many_pixels"
)

// FileRef is a message's reference to a file. It remains when the file is deleted.
type FileRef struct {
	ID        string `json:"id"`
	Name      string `json:"name"`
	MediaType string `json:"media_type"`
	Bytes     int64  `json:"bytes"`
	SHA256    string `json:"sha256"`
	Width     int    `json:"width,omitempty"` // of a picture
	Height    int    `json:"height,omitempty"`
	// SentSHA256 is of what a chat client sent within its message: it sends the same again with
	// each request, and what is kept of a picture has another hash.
	SentSHA256 string `json:"sent_sha256,omitempty"`
}

// File is an uploaded file. Its content is stored once for a workspace and hash.
type File struct {
	FileRef
	WorkspaceID string
	CreatedBy   string // the credential, as its name was then
	CreatedAt   time.Time
}

// IsPicture reports whether it is sent to a model as a picture.
func (f *FileRef) IsPicture() bool { return strings.HasPrefix(f.MediaType, "image/") }

// FileBudget is what the files of a workspace may be in all.
type FileBudget struct {
	Bytes int64 `json:"bytes"` // of the contents, each counted once
	Count int64 `json:"count"`
}

// FileName makes a name of what a client calls a file: on one line, without characters that are
// not seen. It is data, and names nothing on this machine: what precedes the last separator is a
// folder of the client's, and is left out. Hidden characters are removed and not escaped, because an escape
// has a backslash, which is a separator again.
func FileName(name string) string {
	name = withoutHidden(strings.ToValidUTF8(name, ""))
	if at := strings.LastIndexAny(name, `/\`); at >= 0 {
		name = name[at+1:]
	}
	name = strings.Join(strings.Fields(name), " ")
	if len(name) > maxFileName {
		name = strings.ToValidUTF8(name[:maxFileName], "")
	}
	if strings.Trim(name, ". ") == "" {
		return "file"
	}
	return name
}

// Files are the files that a message refers to, in their order.
func (r *RichContent) Files() []*FileRef {
	if r == nil {
		return nil
	}
	var files []*FileRef
	for i := range r.Segments {
		if f := r.Segments[i].File; f != nil {
			files = append(files, f)
		}
	}
	return files
}

// UnknownFile refuses a message that refers to a file that there is not, at a pointer.
func UnknownFile(at, id string) *Error {
	return Invalid(at, "unknown_file", "There is no file %s here (any more). Nothing was sent: upload it again.", VisibleLine(id))
}

const (
	pixelsPerToken = 750    // of a picture: what the dearest of the vendors counts
	leastTokens    = 85     // of a picture
	textTokens     = 40_000 // of the texts of one message, unless a budget sets less
)

// FileTextTokens limits the texts of the files of one message in a prompt: half of its budget.
func FileTextTokens(budget int, bounded bool) int {
	if !bounded {
		return textTokens
	}
	return max(budget/2, 0)
}

// PictureTokens estimates what a picture counts.
func (f *FileRef) PictureTokens() int { return max(leastTokens, f.Width*f.Height/pixelsPerToken) }

// FileTokens estimates what the files of one message count in a prompt of this budget.
func FileTokens(files []*FileRef, budget *int) int {
	pictures, texts := 0, int64(0)
	for _, f := range files {
		if f.IsPicture() {
			pictures += f.PictureTokens()
		} else {
			texts += f.Bytes
		}
	}
	room := textTokens
	if budget != nil {
		room = FileTextTokens(*budget, true)
	}
	return pictures + int(min((texts*2+6)/7, int64(room)))
}
