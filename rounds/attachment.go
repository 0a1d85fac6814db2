package rounds

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
	File *Attachment
}

// SentFile is a file as a client sends it within a message: what it holds, or the id of one
// that was uploaded before.
type Attachment struct {
	Pointer string // where the request has it
	Name    string
	ID      string
	// Sum is the hash of what was sent. By it a client's history is compared with the record:
	// what is kept of a picture has another one.
	Sum string

	content        string
	percentEncoded bool // in the way of addresses, else in base64
}

// FileAt reads what a client names as the address of a file: what it holds, as a data: URL.
// Nothing is fetched for a client: it could have this server look into its own network.
func AttachmentAtURL(pointer, name, address string) (*Attachment, error) {
	head, content, found := strings.Cut(address, ",")
	kind, isData := strings.CutPrefix(strings.ToLower(head), "data:")
	if !isData {
		return nil, domain.Invalid(pointer, "not_fetched", "Nothing is fetched from an address, and nothing was stored. Send what the file holds, "+
			"as a data: URL with base64, or upload it with POST /v1/files and send its id.")
	}
	kind, isBase64 := strings.CutSuffix(kind, ";base64")
	if !found {
		return nil, errNotBase64(pointer)
	}
	return newAttachment(&Attachment{Pointer: pointer, Name: name, content: content, percentEncoded: !isBase64}, kind)
}

// FileIn reads what a file holds: in base64, or as a data: URL.
func AttachmentWith(pointer, name, kind, content string) (*Attachment, error) {
	if len(content) > len("data:") && strings.EqualFold(content[:len("data:")], "data:") {
		return AttachmentAtURL(pointer, name, content)
	}
	return newAttachment(&Attachment{Pointer: pointer, Name: name, content: content}, kind)
}

// FileUploaded is one that was uploaded before.
func UploadedAttachment(pointer, id string) (*Attachment, error) {
	if !strings.HasPrefix(id, domain.PrefixFile+"_") || len(id) > maxFileID {
		return nil, domain.UnknownFile(pointer, jsonbody.Cut(id, maxFileID))
	}
	return &Attachment{Pointer: pointer, ID: id}, nil
}

const maxFileID = 100

func errNotBase64(pointer string) error {
	return domain.Invalid(pointer, "not_base64", "What the file holds is no base64. Nothing was stored.")
}

func newAttachment(f *Attachment, kind string) (*Attachment, error) {
	if f.Name = strings.TrimSpace(f.Name); f.Name == "" {
		f.Name = defaultName(kind)
	}
	f.content = strings.TrimRight(f.content, "=\r\n ")
	sum := sha256.New()
	n, err := io.Copy(sum, f.reader())
	switch {
	case err != nil:
		return nil, errNotBase64(f.Pointer)
	case n == 0:
		return nil, domain.Invalid(f.Pointer, "required", "The file holds nothing.")
	case n > domain.MaxFileBytes:
		return nil, atPointer(f.Pointer, domain.Errorf(domain.CodeTooLarge, "The file is larger than %d bytes. Nothing was stored.", domain.MaxFileBytes))
	}
	f.Sum = hex.EncodeToString(sum.Sum(nil))
	return f, nil
}

// nameOf is what a file is called that has no name: after the kind that the client says it is.
func defaultName(kind string) string {
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
func (f *Attachment) reader() io.Reader {
	if f.percentEncoded {
		text, err := url.PathUnescape(f.content)
		if err != nil {
			return failedReader{err}
		}
		return strings.NewReader(text)
	}
	alphabet := base64.RawStdEncoding
	if strings.ContainsAny(f.content, "-_") {
		alphabet = base64.RawURLEncoding
	}
	return base64.NewDecoder(alphabet, strings.NewReader(f.content))
}

type failedReader struct{ err error }

func (b failedReader) Read([]byte) (int, error) { return 0, b.err }

// Key tells one file from another in what a client holds.
func (f *Attachment) Key() string {
	if f.ID != "" {
		return f.ID
	}
	return f.Sum + " " + f.Name
}

// is says whether the file is one of the record: as it was sent, as it is kept, or by its id.
func (f *Attachment) matches(stored *domain.FileRef) bool {
	return f.ID != "" && f.ID == stored.ID || f.Sum != "" && (f.Sum == stored.SentSHA256 || f.Sum == stored.SHA256)
}

// FilesOf are the files among the pieces, each once, in their order.
func Attachments(pieces []Piece) []*Attachment {
	var files []*Attachment
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
func UserText(rich *domain.RichContent) string {
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
func SameAttachments(rich *domain.RichContent, files []*Attachment) bool {
	return slices.EqualFunc(files, rich.Files(), (*Attachment).matches)
}

// CheckWords bounds what a body of so many bytes, or what is read of it, holds beside its files.
func CheckTextSize(size int, pieces []Piece) error {
	for _, p := range pieces {
		if p.File != nil {
			size -= len(p.File.content)
		}
	}
	if size > jsonbody.MaxBody {
		return domain.Errorf(domain.CodeTooLarge, "Without the files in it the body is larger than %d bytes.", jsonbody.MaxBody)
	}
	return nil
}

// below says where in a request an error has its cause.
func atPointer(pointer string, err *domain.Error) error {
	located := *err
	located.Fields = []domain.FieldError{{Pointer: pointer, Code: string(err.Code), Message: err.Message}}
	return &located
}
