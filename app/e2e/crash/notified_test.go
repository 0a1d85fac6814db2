package crash

import (
	"encoding/json"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/mail"
	"sync"
	"testing"

	"github.com/emersion/go-smtp"

	"github.com/fermata-dev/fermata/app"
	"github.com/fermata-dev/fermata/app/e2e/harness"
	"github.com/fermata-dev/fermata/internal/testkit"
	"github.com/fermata-dev/fermata/internal/testkit/pushservice"
)

// letters is a mail server that kills the server during a mail: before it is accepted, or after that and before
// the response.
type letters struct {
	t   testing.TB
	url string

	mu     sync.Mutex
	taken  []string // Message-IDs
	before bool
	do     func()
}

func newLetters(t testing.TB) *letters {
	t.Helper()
	l := &letters{t: t}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	server := smtp.NewServer(l)
	server.Domain = "localhost"
	server.ErrorLog = log.New(io.Discard, "", 0) // it speaks of connections that the dead leave
	go func() { _ = server.Serve(listener) }()   // it ends with the server
	t.Cleanup(func() { _ = server.Close() })
	l.url = "smtp://" + listener.Addr().String()
	return l
}

// arm has something done at the next mail, once.
func (l *letters) arm(before bool, do func()) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.before, l.do = before, do
}

// ids are the mails that were taken, by their names: how often each was.
func (l *letters) ids() map[string]int {
	l.mu.Lock()
	defer l.mu.Unlock()
	out := map[string]int{}
	for _, id := range l.taken {
		out[id]++
	}
	return out
}

func (l *letters) NewSession(*smtp.Conn) (smtp.Session, error) { return &letterBox{l}, nil }

type letterBox struct{ *letters }

func (letterBox) Mail(string, *smtp.MailOptions) error { return nil }
func (letterBox) Rcpt(string, *smtp.RcptOptions) error { return nil }
func (letterBox) Reset()                               {}
func (letterBox) Logout() error                        { return nil }

func (l letterBox) Data(r io.Reader) error {
	message, err := mail.ReadMessage(r)
	if err != nil {
		return err // the server died over it
	}
	if _, err := io.Copy(io.Discard, message.Body); err != nil {
		return err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	do := l.do
	l.do = nil
	if do != nil && l.before {
		do()
		return &smtp.SMTPError{Code: 451, Message: "mailbox unavailable"}
	}
	l.taken = append(l.taken, message.Header.Get("Message-ID"))
	if do != nil {
		do()
	}
	return nil
}

// people are notified in two ways, by a server that is killed repeatedly.
type people struct {
	*player
	service *pushservice.Service
	letters *letters
	asked   []string // ids of approvals
}

func newPeople(t testing.TB, name string, open func(testing.TB) app.Database) *people {
	t.Helper()
	s := &people{service: pushservice.New(t), letters: newLetters(t)}
	h := newNodeHost(t, open(t), "test", "FERMATA_PUBLIC_URL=http://127.0.0.1:8080", "FERMATA_SMTP_URL="+s.letters.url,
		"FERMATA_MAIL_FROM=fermata@example.org")
	s.player = newPlayer(t, h, newModel(t), "notified-"+name, &scenario{settings: map[string]any{
		"require_validation": true, "notifications": map[string]any{"mail_to": []string{"ada@example.org"}},
	}, rules: []rule{{contains: "do it", round: 1, calls: makeOne}, {text: "So it is."}}})
	b := s.service.Browser(s.try("GET", "/v1/push-key", "", nil).Want(200).Str("public_key"))
	s.try("POST", "/v1/me/push-subscriptions", "", map[string]any{
		"endpoint": b.Endpoint, "keys": map[string]any{"p256dh": b.P256dh, "auth": b.Auth},
	}).Want(201)
	return s
}

// pushes are those that were taken, by the approval that they are of: how often each, and under how
// many topics.
func (s *people) pushes() (times map[string]int, topics map[string]map[string]bool) {
	times, topics = map[string]int{}, map[string]map[string]bool{}
	for _, p := range s.service.Taken() {
		var n struct{ Tag string }
		if err := json.Unmarshal(p.Text, &n); err != nil {
			s.t.Errorf("%v: %s", err, p.Text)
		}
		if topics[n.Tag] == nil {
			topics[n.Tag] = map[string]bool{}
		}
		times[n.Tag]++
		topics[n.Tag][p.Topic] = true
	}
	return times, topics
}

// asks creates an approval in a chat, waits until both notifications arrived, and rejects it.
func (s *people) asks() {
	s.t.Helper()
	s.chat(false).says("do it")
	id := ""
	testkit.Until(s.t, "the approval", func() bool {
		open := s.all("/v1/approvals", "status=open")
		if len(open) == 1 {
			id = fmt.Sprint(open[0]["id"])
		}
		return len(open) == 1
	})
	s.asked = append(s.asked, id)
	testkit.Until(s.t, "the push and the mail", func() bool {
		times, _ := s.pushes()
		return times[id] > 0 && len(s.letters.ids()) == len(s.asked)
	})
	s.try("POST", "/v1/approvals/"+id, testKey(), map[string]any{"approved": false}).Want(200)
}

// disarm takes back what was not reached.
func (s *people) disarm() {
	s.letters.arm(false, nil)
	s.service.Answer(nil)
	s.service.Kept(nil)
	s.host.arm("never")
}

// at kills the server at a point of what follows.
func (s *people) at(where string, n int) {
	once := sync.OnceFunc(s.host.kill)
	switch where {
	case "push":
		s.service.Answer(func(*pushservice.Push, http.ResponseWriter) int {
			s.service.Answer(nil)
			once()
			return http.StatusServiceUnavailable
		})
	case "pushed":
		s.service.Kept(func(*pushservice.Push) { once() })
	case "mail", "mailed":
		s.letters.arm(where == "mail", once)
	default:
		s.host.arm(fmt.Sprint(where, " ", n))
	}
}

// TestPeopleWhoseServerIsKilled kills a server at every COMMIT of a round that requests an approval and sends its
// notifications by push and by mail, and at each push and mail before and after it was accepted. Every recipient
// is notified; duplicates have the same id, and there are no more of them than deaths.
func TestPeopleWhoseServerIsKilled(t *testing.T) {
	for name, open := range harness.Databases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newPeople(t, name, open)
			s.host.arm("never")
			s.asks()
			commits, points := s.host.arm("never")+4, 0
			kill := func(where string, n int) {
				if points++; !harness.Long && n > 0 && points%9 != 0 {
					return // a sample of the commits; the long run takes them all
				}
				died := s.host.died()
				s.at(where, n)
				s.asks()
				s.disarm()
				if n == 0 && s.host.died() == died {
					testkit.Until(t, "the death at "+where, func() bool { return s.host.died() > died })
				}
			}
			for _, where := range []string{"push", "pushed", "mail", "mailed"} {
				kill(where, 0)
			}
			for n := 1; n <= commits; n++ {
				kill("before", n)
				kill("after", n)
				kill("during", n)
			}
			s.toldOnce(t)
			t.Logf("%s: %d approvals at %d points, %d deaths, %d pushes and %d mails", name, len(s.asked), points, s.host.died(),
				len(s.service.Taken()), len(s.letters.taken))
		})
	}
}

// toldOnce holds what came against what was asked.
func (s *people) toldOnce(t *testing.T) {
	t.Helper()
	times, topics := s.pushes()
	again := 0
	for _, id := range s.asked {
		if times[id] == 0 || len(topics[id]) != 1 {
			t.Errorf("%s was pushed %d times, under %d topics", id, times[id], len(topics[id]))
		}
		again += times[id] - 1
	}
	if len(times) != len(s.asked) {
		t.Errorf("%d approvals were pushed, of %d", len(times), len(s.asked))
	}
	mailed := 0
	for _, n := range s.letters.ids() {
		mailed += n - 1
	}
	if died := s.host.died(); again > died || mailed > died || died < 4 {
		t.Errorf("%d pushes and %d mails came again after %d deaths", again, mailed, died)
	}
}
