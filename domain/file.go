package domain

import "strings"

// MaxMessageFiles bounds the files of one message.
const MaxMessageFiles = 20

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

// IsPicture reports whether it is sent to a model as a picture.
func (f *FileRef) IsPicture() bool { return strings.HasPrefix(f.MediaType, "image/") }

// FileBudget is what the files of a workspace may be in all.
type FileBudget struct {
	Bytes int64 `json:"bytes"` // of the contents, each counted once
	Count int64 `json:"count"`
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
