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
	"github.com/fermata-dev/fermata/domain/userdata"
	"github.com/fermata-dev/fermata/internal/jsonbody"
	"github.com/fermata-dev/fermata/internal/shorten"
)

// Piece is a part of a message of a client: text or an attachment.
type Piece struct {
	Text string
	File *Attachment
}

// Attachment is a file as a client sends it within a message: its content, or the id of an uploaded
// file.
type Attachment struct {
	Pointer string // JSON pointer in the request
	Name    string
	ID      string
	// Sum is the SHA-256 of the content as it was sent. The history of a client is compared with the
	// record by it, because pictures are stored with other content.
	Sum string

	content        string
	percentEncoded bool // content is percent-encoded; otherwise it is base64
}

// AttachmentAtURL reads a data: URL. Other URLs are rejected: fetching them would let a client reach
// the server's own network.
func AttachmentAtURL(pointer, name, address string) (*Attachment, error) {
	head, content, found := strings.Cut(address, ",")
	kind, isData := strings.CutPrefix(strings.ToLower(head), "data:")
	if !isData {
		return nil, domain.Invalid(pointer, "not_fetched", "Files are not fetched from a URL, and nothing was stored. Send the content of the file, "+
			"as a data: URL with base64, or upload it with POST /v1/files and send its id.")
	}
	kind, isBase64 := strings.CutSuffix(kind, ";base64")
	if !found {
		return nil, errNotBase64(pointer)
	}
	return newAttachment(&Attachment{Pointer: pointer, Name: name, content: content, percentEncoded: !isBase64}, kind)
}

// AttachmentWith reads the content of a file, in base64 or as a data: URL.
func AttachmentWith(pointer, name, kind, content string) (*Attachment, error) {
	if len(content) > len("data:") && strings.EqualFold(content[:len("data:")], "data:") {
		return AttachmentAtURL(pointer, name, content)
	}
	return newAttachment(&Attachment{Pointer: pointer, Name: name, content: content}, kind)
}

// UploadedAttachment refers to a file that was uploaded before.
func UploadedAttachment(pointer, id string) (*Attachment, error) {
	if !strings.HasPrefix(id, domain.PrefixFile+"_") || len(id) > maxFileID {
		return nil, userdata.UnknownFile(pointer, shorten.Characters(id, maxFileID))
	}
	return &Attachment{Pointer: pointer, ID: id}, nil
}

const maxFileID = 100

func errNotBase64(pointer string) error {
	return domain.Invalid(pointer, "not_base64", "The content of the file is not valid base64. Nothing was stored.")
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
		return nil, domain.Invalid(f.Pointer, "required", "The file is empty.")
	case n > userdata.MaxFileBytes:
		return nil, atPointer(f.Pointer, domain.Errorf(domain.CodeTooLarge, "The file is larger than %d bytes. Nothing was stored.", userdata.MaxFileBytes))
	}
	f.Sum = hex.EncodeToString(sum.Sum(nil))
	return f, nil
}

// defaultName returns the name of a file without one, after the media type that the client states.
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

// reader reads the content.
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

// Key identifies an attachment within a request.
func (f *Attachment) Key() string {
	if f.ID != "" {
		return f.ID
	}
	return f.Sum + " " + f.Name
}

// matches reports whether the attachment is a stored file: by its id, or by the hash as it was sent
// or as it is stored.
func (f *Attachment) matches(stored *domain.FileRef) bool {
	return f.ID != "" && f.ID == stored.ID || f.Sum != "" && (f.Sum == stored.SentSHA256 || f.Sum == stored.SHA256)
}

// Attachments returns the attachments among the pieces, each once, in their order.
func Attachments(pieces []Piece) []*Attachment {
	var files []*Attachment
	seen := map[string]bool{} // the number is limited only by the size of the body
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

// TextOf returns the text of the pieces.
func TextOf(pieces []Piece) string {
	var b strings.Builder
	for _, p := range pieces {
		b.WriteString(p.Text)
	}
	return b.String()
}

// UserText returns the text of a stored message of a person, without the names of its files.
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

// sameAttachments reports whether the attachments are the files of a stored message.
func sameAttachments(rich *domain.RichContent, files []*Attachment) bool {
	return slices.EqualFunc(files, rich.Files(), (*Attachment).matches)
}

// CheckTextSize limits the size of a request without its attachments. size is that of the body, or
// of the part that was read, in bytes.
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

// atPointer returns an error with the JSON pointer of its cause in the request.
func atPointer(pointer string, err *domain.Error) error {
	located := *err
	located.Fields = []domain.FieldError{{Pointer: pointer, Code: string(err.Code), Message: err.Message}}
	return &located
}
