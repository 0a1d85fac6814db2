package userdata

import (
	"strings"
	"time"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/internal/visible"
)

// What a file may be.
const (
	MaxFileBytes = 10 << 20 // of what is uploaded, and of what is kept of it
	maxFileName  = 200      // bytes
	// UnusedFileFor is how long a file is kept that no message refers to.
	UnusedFileFor = 24 * time.Hour
)

// Media types of files as they are kept.
const (
	MediaText = "text/plain"
	MediaPNG  = "image/png"
)

// About files.
const (
	CodeUnsupportedFile domain.Code = "unsupported_file" // neither a picture that is read, nor text
	CodeUnreadableFile  domain.Code = "unreadable_file"  // it is declared as a picture and is none
	CodeFilesFull       domain.Code = "files_full"       // the workspace has no room for another
	CodeTooManyPixels   domain.Code = "too_many_pixels"
)

// File is an uploaded file. Its content is stored once for a workspace and hash.
type File struct {
	domain.FileRef
	WorkspaceID string
	CreatedBy   string // the credential, as its name was then
	CreatedAt   time.Time
}

// FileName makes a name of what a client calls a file: on one line, without characters that are
// not seen. It is data, and names nothing on this machine: what precedes the last separator is a
// folder of the client's, and is left out. Hidden characters are removed and not escaped, because an escape
// has a backslash, which is a separator again.
func FileName(name string) string {
	name = visible.WithoutHidden(strings.ToValidUTF8(name, ""))
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

// UnknownFile refuses a message that refers to a file that there is not, at a pointer.
func UnknownFile(at, id string) *domain.Error {
	return domain.Invalid(at, "unknown_file", "There is no file %s here (any more). Nothing was sent: upload it again.", visible.Line(id))
}
