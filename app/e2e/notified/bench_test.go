package notified

import (
	"fmt"
	"io/fs"
	"net"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"slices"
	"strconv"
	"syscall"
	"testing"
	"time"

	"github.com/fermata-dev/fermata/app"
	"github.com/fermata-dev/fermata/app/e2e/harness"
	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/internal/testkit"
	"github.com/fermata-dev/fermata/internal/testkit/pushservice"
)

// BenchmarkTold: how long it takes from the instant at which something was asked of a person, as it is recorded,
// until the push service has the push opened, or the mail lies in the mailbox of a real mail server (OpenSMTPD; as root).
func BenchmarkTold(b *testing.B) {
	for name, open := range harness.Databases {
		b.Run("push/"+name, func(b *testing.B) {
			s, service := reachable(b, open(b)), pushservice.New(b)
			subscribed(s, service, "en")
			waited(b, s, func(n int) (at time.Time, there bool) {
				got := service.Taken()
				if len(got) < n {
					return at, false
				}
				return got[n-1].At, true
			})
		})
		b.Run("mail/"+name, func(b *testing.B) {
			post := newMailServer(b)
			s := reachable(b, open(b), func(c *app.Config) { c.SMTPURL, c.MailFrom = post.url, "fermata@example.org" })
			s.Call("PATCH", "/v1/settings", map[string]any{"notifications": map[string]any{"mail_to": []string{"ada@example.org"}}}).Want(200)
			waited(b, s, post.arrived)
		})
	}
}

// waited polls, and reports how long it took until the n-th arrived.
func waited(b *testing.B, s *harness.Server, came func(n int) (time.Time, bool)) {
	s.Scripted(asks)
	var all []time.Duration
	for b.Loop() {
		chat := s.Chat()
		s.Say(chat, "Add the garden.")
		s.Until(chat, "requires_action")
		id := s.Card().Str("id")
		var at time.Time
		testkit.Until(b, "the news", func() (there bool) { at, there = came(len(all) + 1); return there })
		a, err := s.Parts.Store.Approvals.Approval(b.Context(), domain.DefaultWorkspace, id)
		harness.Must(b, err)
		all = append(all, at.Sub(a.CreatedAt))
		s.Call("POST", "/v1/approvals/"+id, map[string]any{"approved": false}).Want(200)
		s.Until(chat, "idle")
	}
	slices.Sort(all)
	ms := func(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }
	b.ReportMetric(ms(all[len(all)/2]), "p50-ms")
	b.ReportMetric(ms(all[len(all)*99/100]), "p99-ms")
	b.ReportMetric(0, "ns/op")
}

// mailServer is OpenSMTPD, which puts what comes into a folder.
type mailServer struct{ url, folder string }

func newMailServer(b *testing.B) *mailServer {
	b.Helper()
	program, err := exec.LookPath("smtpd")
	if err != nil || os.Getuid() != 0 {
		b.Skip("it needs OpenSMTPD (scripts/need opensmtpd), and root")
	}
	unprivileged, err := user.Lookup("nobody")
	harness.Must(b, err)
	uid, err := strconv.Atoi(unprivileged.Uid)
	harness.Must(b, err)
	dir, err := os.MkdirTemp("", "mail") // that of the test is not open to others
	harness.Must(b, err)
	b.Cleanup(func() { _ = os.RemoveAll(dir) })
	harness.Must(b, os.Chmod(dir, 0o755))
	m := &mailServer{folder: filepath.Join(dir, "box")}
	harness.Must(b, os.Mkdir(m.folder, 0o755))
	harness.Must(b, os.Chown(m.folder, uid, -1))
	address := freeAddress(b)
	m.url = "smtp://" + address
	config := filepath.Join(dir, "smtpd.conf")
	harness.Must(b, os.WriteFile(config, fmt.Appendf(nil, "table people { \"@\" = \"nobody\" }\nlisten on 127.0.0.1 port %s\n"+
		"action \"box\" maildir %q virtual <people>\nmatch from any for any action \"box\"\n", address[len("127.0.0.1:"):], m.folder), 0o600))
	command := exec.CommandContext(b.Context(), program, "-d", "-f", config)
	command.Cancel = func() error { return command.Process.Signal(syscall.SIGTERM) } // its children go with it
	harness.Must(b, command.Start())
	b.Cleanup(func() {
		_ = command.Process.Signal(syscall.SIGTERM)
		_ = command.Wait()
	})
	testkit.Until(b, "the mail server", func() bool {
		c, err := net.Dial("tcp", address)
		return err == nil && c.Close() == nil
	})
	return m
}

// arrived is when the n-th mail lay there.
func (m *mailServer) arrived(n int) (last time.Time, there bool) {
	found, err := os.ReadDir(filepath.Join(m.folder, "new"))
	if err != nil || len(found) < n {
		return last, false
	}
	for _, f := range found {
		if info, err := f.Info(); err == nil && info.Mode()&fs.ModeType == 0 && info.ModTime().After(last) {
			last = info.ModTime()
		}
	}
	return last, true
}
