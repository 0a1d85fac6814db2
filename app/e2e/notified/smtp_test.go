package notified

import (
	"io"
	"mime"
	"mime/multipart"
	"mime/quotedprintable"
	"net"
	"net/mail"
	"strings"
	"sync"
	"testing"

	"github.com/emersion/go-smtp"
)

// post is a mail server (that of go-smtp), which keeps what it takes.
type post struct {
	URL string
	t   testing.TB

	mu     sync.Mutex
	got    []letter
	tries  []string                            // the Message-IDs of all that came
	refuse func(to, id string) *smtp.SMTPError // optional
}

// letter is a mail as a reader sees it.
type letter struct {
	To, Subject, ID, Plain, HTML string
}

func newPost(t testing.TB) *post {
	t.Helper()
	p := &post{t: t}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	server := smtp.NewServer(p)
	server.Domain = "localhost"
	go func() { _ = server.Serve(listener) }() // it ends with the server
	t.Cleanup(func() { _ = server.Close() })
	p.URL = "smtp://" + listener.Addr().String()
	return p
}

// NewSession is part of smtp.Backend.
func (p *post) NewSession(*smtp.Conn) (smtp.Session, error) { return &visit{post: p}, nil }

// taken is what it took so far.
func (p *post) taken() []letter {
	p.mu.Lock()
	defer p.mu.Unlock()
	return append([]letter(nil), p.got...)
}

// visit is one connection.
type visit struct {
	post *post
	to   string
}

func (v *visit) Mail(string, *smtp.MailOptions) error      { return nil }
func (v *visit) Rcpt(to string, _ *smtp.RcptOptions) error { v.to = to; return nil }
func (v *visit) Reset()                                    {}
func (v *visit) Logout() error                             { return nil }

// Data takes the mail, as a reader of mail does: by the standard library.
func (v *visit) Data(r io.Reader) error {
	message, err := mail.ReadMessage(r)
	if err != nil {
		v.post.t.Errorf("no mail came: %v", err)
		return err
	}
	l := letter{To: v.to, ID: message.Header.Get("Message-ID")}
	if l.Subject, err = new(mime.WordDecoder).DecodeHeader(message.Header.Get("Subject")); err != nil {
		v.post.t.Errorf("the subject: %v", err)
	}
	_, params, err := mime.ParseMediaType(message.Header.Get("Content-Type"))
	if err != nil {
		v.post.t.Errorf("the type: %v", err)
	}
	parts := multipart.NewReader(message.Body, params["boundary"])
	for part, err := parts.NextRawPart(); err == nil; part, err = parts.NextRawPart() {
		text, err := io.ReadAll(quotedprintable.NewReader(part))
		if err != nil {
			v.post.t.Errorf("a part: %v", err)
		}
		if strings.HasPrefix(part.Header.Get("Content-Type"), "text/html") {
			l.HTML = string(text)
		} else {
			l.Plain = string(text)
		}
	}
	v.post.mu.Lock()
	defer v.post.mu.Unlock()
	v.post.tries = append(v.post.tries, l.ID)
	if v.post.refuse != nil {
		if err := v.post.refuse(l.To, l.ID); err != nil {
			return err
		}
	}
	v.post.got = append(v.post.got, l)
	return nil
}
