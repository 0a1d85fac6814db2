package crash

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestClientsAreKilled: the process of a client is killed at a byte of its request or of the response. Another
// process of the same client only repeats the request: through each protocol no round is lost or doubled, and the
// answer that the client received is the one in the record.
func TestClientsAreKilled(t *testing.T) {
	throughKills(t, func(t *testing.T, front *front, kills, rounds int) {
		h := front.host
		doors := []string{"chat", "responses", "mcp", "ag-ui"}
		for _, door := range doors {
			c := &mortal{front: front, task: clientTask{Door: door, URL: front.url}, dir: t.TempDir()}
			c.talk(kills, rounds)
		}
		if n := strings.Count(front.call("GET", "/v1/sessions", ""), `"id":"ses_`); n != len(doors) {
			t.Errorf("%d doors have made %d sessions", len(doors), n)
		}
		front.sound()
		if died := h.died(); died != 0 {
			t.Errorf("the server died %d times", died)
		}
	})
}

// mortal is a client whose process is killed, and started again.
type mortal struct {
	front *front
	task  clientTask
	dir   string
	kills int
	// What a whole talk sent and was sent, in bytes: it is killed at one of them.
	sent, given int
}

// talk continues until the client was killed often enough.
func (c *mortal) talk(kills, rounds int) {
	t := c.front.t
	t.Helper()
	var want []string
	n := 0
	for ; c.kills < kills && n < rounds; n++ {
		question, answer := c.task.Door+": "+ask(n), c.front.answer(n)
		if c.task.Door == "mcp" { // whose clients bring no tools
			question = strings.TrimSuffix(question, usesTool)
		}
		want = append(want, recorded(question, answer)...)
		c.task.Said = append(c.task.Said, question)
		c.task.ID = fmt.Sprint("m", n)
		c.task.Place = ""
		if n%2 == 0 { // one that keeps nothing and one that keeps its place, by turns
			c.task.Place = filepath.Join(c.dir, c.task.ID)
		}
		says := c.round()
		if says.Text != answer {
			t.Fatalf("%s, round %d: the client holds %q, and should %q", c.task.Door, n, says.Text, answer)
		}
		if c.task.Session != "" && c.task.Session != says.Session {
			t.Fatalf("%s, round %d: the session is %s, and was %s", c.task.Door, n, says.Session, c.task.Session)
		}
		c.task.Session, c.task.Previous = says.Session, says.ID
		if c.task.Said = append(c.task.Said, says.Text); c.task.Door != "chat" {
			c.task.Said = nil // the server holds what was said
		}
	}
	if got := c.front.record(c.task.Session); strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("%s: the record is\n%s\nand should be\n%s", c.task.Door, strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	if c.kills < kills {
		t.Errorf("%s: the client was killed %d times in %d rounds", c.task.Door, c.kills, n)
	}
}

// round has one question answered. The first one says how much passes; in those that come
// after it the client is killed once, and now and then its successor too.
func (c *mortal) round() clientSays {
	t := c.front.t
	t.Helper()
	for deaths := 0; ; {
		at := &cut{}
		switch {
		case c.given == 0 || deaths == 2 || deaths == 1 && rand.N(4) > 0:
			at.never = true
		case rand.N(8) == 0:
			at.sending, at.left = true, rand.N(c.sent)
		default:
			at.left = rand.N(c.given)
		}
		says, killed := c.run(at)
		if killed {
			deaths++
			c.kills++
			continue
		}
		if c.given == 0 {
			c.sent, c.given = at.sent, at.given
		}
		return says
	}
}

// run starts a process, and says what it held at its end, unless it was killed.
func (c *mortal) run(at *cut) (says clientSays, killed bool) {
	t := c.front.t
	t.Helper()
	summary, err := json.Marshal(c.task)
	if err != nil {
		t.Fatal(err)
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	var said, wrong bytes.Buffer
	process := exec.Command(self)
	process.Env = append(os.Environ(), clientVariable+"="+string(summary))
	process.Stdout, process.Stderr = &said, &wrong
	started := make(chan *os.Process, 1)
	at.kill = func() { _ = (<-started).Kill() } // it may have ended by itself
	c.front.arm(at)
	defer c.front.arm(nil)
	if err := process.Start(); err != nil {
		t.Fatal(err)
	}
	started <- process.Process
	err = process.Wait()
	c.front.arm(nil)
	switch {
	case err != nil && at.done:
		return says, true
	case err != nil:
		t.Fatalf("%s: the client gave up: %v\n%s", c.task.Door, err, wrong.Bytes())
	}
	if err := json.Unmarshal(said.Bytes(), &says); err != nil {
		t.Fatalf("%s: the client says %q: %v", c.task.Door, said.Bytes(), err)
	}
	return says, false
}

// cut has a client killed when so many bytes have passed: of what it is given, or of what it
// sends. It counts them, too.
type cut struct {
	sending, never bool
	left           int
	kill           func()
	done           bool
	sent, given    int
}

// arm sets what counts the bytes that pass from now on; nil: nothing.
func (f *front) arm(at *cut) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.cut = at
}

// passing counts bytes, and says how many of them may pass. The one that is too many kills.
func (f *front) passing(sending bool, n int) (most int, kill func()) {
	f.mu.Lock()
	defer f.mu.Unlock()
	at := f.cut
	if at == nil || at.done {
		return n, nil
	}
	if sending {
		at.sent += n
	} else {
		at.given += n
	}
	if at.never || at.sending != sending {
		return n, nil
	}
	if at.left >= n {
		at.left -= n
		return n, nil
	}
	at.done = true
	return at.left, at.kill
}

// counted is one way between a client and the server, on which the client may be killed.
type counted struct {
	net.Conn
	front   *front
	sending bool
}

func (c counted) Write(b []byte) (int, error) {
	most, kill := c.front.passing(c.sending, len(b))
	n, err := c.Conn.Write(b[:most])
	if kill == nil {
		return n, err
	}
	kill()
	return n, io.ErrClosedPipe
}

// sound asks the server what must never be.
func (f *front) sound() {
	f.t.Helper()
	var counts struct {
		Data []struct {
			Name  string
			Count int
		}
	}
	if err := json.Unmarshal([]byte(f.call("GET", "/v1/admin/invariants", "")), &counts); err != nil || len(counts.Data) == 0 {
		f.t.Fatalf("%v: %+v", err, counts)
	}
	for _, c := range counts.Data {
		if c.Count != 0 {
			f.t.Errorf("%s: %d", c.Name, c.Count)
		}
	}
}
