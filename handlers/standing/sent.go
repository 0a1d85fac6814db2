package standing

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"io"
	"net/url"
	"slices"
	"strings"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/internal/jsonbody"
)

// Piece is a part of what a client says: words, or a file.
type Piece struct {
	Text string
	File *SentFile
}

// SentFile is a file as a client sends it within a message: what it holds, or the id of one
// that was uploaded before.
type SentFile struct {
	At   string // where the request has it
	Name string
	ID   string
	// Sum is the hash of what was sent. By it a client's history is compared with the record:
	// what is kept of a picture has another one.
	Sum string

	encoded string
	escaped bool // in the way of addresses, else in base64
}

// FileAt reads what a client names as the address of a file: what it holds, as a data: URL.
// Nothing is fetched for a client: it could have this server look into its own network.
func FileAt(at, name, address string) (*SentFile, error) {
	head, content, found := strings.Cut(address, ",")
	kind, isData := strings.CutPrefix(strings.ToLower(head), "data:")
	if !isData {
		return nil, domain.Invalid(at, "not_fetched", "Nothing is fetched from an address, and nothing was stored. Send what the file holds, "+
			"as a data: URL with base64, or upload it with POST /v1/files and send its id.")
	}
	kind, isBase64 := strings.CutSuffix(kind, ";base64")
	if !found {
		return nil, damaged(at)
	}
	return fileOf(&SentFile{At: at, Name: name, encoded: content, escaped: !isBase64}, kind)
}

// FileIn reads what a file holds: in base64, or as a data: URL.
func FileIn(at, name, kind, content string) (*SentFile, error) {
	if len(content) > len("data:") && strings.EqualFold(content[:len("data:")], "data:") {
		return FileAt(at, name, content)
	}
	return fileOf(&SentFile{At: at, Name: name, encoded: content}, kind)
}

// FileUploaded is one that was uploaded before.
func FileUploaded(at, id string) (*SentFile, error) {
	if !strings.HasPrefix(id, domain.PrefixFile+"_") || len(id) > maxFileID {
		return nil, domain.UnknownFile(at, jsonbody.Cut(id, maxFileID))
	}
	return &SentFile{At: at, ID: id}, nil
}

const maxFileID = 100

func damaged(at string) error {
	return domain.Invalid(at, "not_base64", "What the file holds is no base64. Nothing was stored.")
}

func fileOf(f *SentFile, kind string) (*SentFile, error) {
	if f.Name = strings.TrimSpace(f.Name); f.Name == "" {
		f.Name = nameOf(kind)
	}
	f.encoded = strings.TrimRight(f.encoded, "=\r\n ")
	sum := sha256.New()
	n, err := io.Copy(sum, f.reader())
	switch {
	case err != nil:
		return nil, damaged(f.At)
	case n == 0:
		return nil, domain.Invalid(f.At, "required", "The file holds nothing.")
	case n > domain.MaxFileBytes:
		return nil, below(f.At, domain.Errorf(domain.CodeTooLarge, "The file is larger than %d bytes. Nothing was stored.", domain.MaxFileBytes))
	}
	f.Sum = hex.EncodeToString(sum.Sum(nil))
	return f, nil
}

// nameOf is what a file is called that has no name: after the kind that the client says it is.
func nameOf(kind string) string {
	kind, _, _ = strings.Cut(kind, ";")
	family, name, _ := strings.Cut(strings.TrimSpace(kind), "/")
	known := map[string]string{"png": "png", "jpeg": "jpg", "jpg": "jpg", "gif": "gif", "webp": "webp", "csv": "csv", "plain": "txt"}[name]
	switch {
	case family == "image" && known != "":
		return "image." + known
	case family == "image":
		return "image"
	case known != "":
		return "file." + known
	}
	return "file"
}

// reader reads what the file holds.
func (f *SentFile) reader() io.Reader {
	if f.escaped {
		text, err := url.PathUnescape(f.encoded)
		if err != nil {
			return broken{err}
		}
		return strings.NewReader(text)
	}
	alphabet := base64.RawStdEncoding
	if strings.ContainsAny(f.encoded, "-_") {
		alphabet = base64.RawURLEncoding
	}
	return base64.NewDecoder(alphabet, strings.NewReader(f.encoded))
}

type broken struct{ err error }

func (b broken) Read([]byte) (int, error) { return 0, b.err }

// Key tells one file from another in what a client holds.
func (f *SentFile) Key() string {
	if f.ID != "" {
		return f.ID
	}
	return f.Sum + " " + f.Name
}

// is says whether the file is one of the record: as it was sent, as it is kept, or by its id.
func (f *SentFile) is(kept *domain.FileRef) bool {
	return f.ID != "" && f.ID == kept.ID || f.Sum != "" && (f.Sum == kept.SentSHA256 || f.Sum == kept.SHA256)
}

// FilesOf are the files among the pieces, each once, in their order.
func FilesOf(pieces []Piece) []*SentFile {
	var files []*SentFile
	seen := map[string]bool{} // a body may name as many as its bytes allow
	for _, p := range pieces {
		if p.File == nil {
			continue
		}
		if key := p.File.Key(); !seen[key] {
			seen[key] = true
			files = append(files, p.File)
		}
	}
	return files
}

// TextOf is what the pieces say in words.
func TextOf(pieces []Piece) string {
	var b strings.Builder
	for _, p := range pieces {
		b.WriteString(p.Text)
	}
	return b.String()
}

// Said is what the person of a stored message said, without the names of its files.
func Said(rich *domain.RichContent) string {
	switch {
	case rich == nil: // the answer to a question
		return ""
	case len(rich.Files()) == 0:
		return rich.Words()
	}
	var b strings.Builder
	for i := range rich.Segments {
		b.WriteString(rich.Segments[i].Text)
	}
	return b.String()
}

// SameFiles says whether these are the files of a stored message.
func SameFiles(rich *domain.RichContent, files []*SentFile) bool {
	return slices.EqualFunc(files, rich.Files(), (*SentFile).is)
}

// CheckWords bounds what a body of so many bytes, or what is read of it, holds beside its files.
func CheckWords(words int, pieces []Piece) error {
	for _, p := range pieces {
		if p.File != nil {
			words -= len(p.File.encoded)
		}
	}
	if words > jsonbody.MaxBody {
		return domain.Errorf(domain.CodeTooLarge, "Without the files in it the body is larger than %d bytes.", jsonbody.MaxBody)
	}
	return nil
}

// below says where in a request an error has its cause.
func below(at string, err *domain.Error) error {
	told := *err
	told.Fields = []domain.FieldError{{Pointer: at, Code: string(err.Code), Message: err.Message}}
	return &told
}
