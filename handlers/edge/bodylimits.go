package edge

import (
	"net/http"
	"strings"

	"github.com/fermata-dev/fermata/domain/userdata"
	"github.com/fermata-dev/fermata/internal/jsonbody"
)

// The largest bodies in bytes. Only three kinds of requests may have one that is larger than MaxBody.
const (
	MaxBody = jsonbody.MaxBody
	// MaxFile bounds a file that is imported.
	MaxFile = 8 << 20
	// MaxUpload bounds the body of an upload: the file, and the form around it.
	MaxUpload = userdata.MaxFileBytes + 64<<10
	// maxFilesBody bounds a request to a door whose messages bring files in base64. A chat client sends
	// those of its whole history each time.
	maxFilesBody = 32 << 20
)

const (
	ImportPath = "/entries/import"
	FilesPath  = "/v1/files"
)

// fileDoors are the addresses of the doors whose messages bring files.
var fileDoors = map[string]bool{"/v1/chat/completions": true, "/v1/responses": true, "/v1/agui": true, "/v1/ui/chat": true}

// bodyLimit is how large the body of a request may be.
func bodyLimit(r *http.Request) int64 {
	if strings.HasSuffix(r.URL.Path, ImportPath) {
		return MaxFile
	}
	if r.URL.Path == FilesPath {
		return MaxUpload
	}
	if r.Method == http.MethodPost && fileDoors[r.URL.Path] {
		return maxFilesBody
	}
	return MaxBody
}
