package events

import (
	"errors"
	"io"
	"net"
	"os"
	"testing"
	"testing/synctest"
	"time"

	"github.com/fermata-dev/fermata/handlers/edge"
)

// A listener who takes nothing in has his time for each write, and no more.
func TestAWriteHasItsTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server, client := net.Pipe()
		defer func() { _ = client.Close() }()
		own := &ownConn{conn: server, chunked: true}
		taken := make(chan error, 1)
		go func() { _, err := io.ReadFull(client, make([]byte, len("1\r\na\r\n"))); taken <- err }()
		if err := own.put([][]byte{[]byte("a")}); err != nil || <-taken != nil {
			t.Fatal(err)
		}
		for _, pause := range []time.Duration{deadlineSlack / 2, 3 * edge.WriteWithin} {
			time.Sleep(pause)
			began := time.Now()
			err := own.put([][]byte{[]byte("b")})
			if took := time.Since(began); !errors.Is(err, os.ErrDeadlineExceeded) ||
				took < edge.WriteWithin-deadlineSlack || took > edge.WriteWithin {
				t.Errorf("after a pause of %s: %v after %s", pause, err, took)
			}
		}
		own.close()
	})
}

// After a write that failed the connection is closed at once, and its listener reads no end
// of the body in the middle of a chunk.
func TestACutStreamHasNoEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server, client := net.Pipe()
		own := &ownConn{conn: server, chunked: true}
		read := make(chan string, 1)
		go func() {
			head := make([]byte, len("8\r\nabc"))
			_, _ = io.ReadFull(client, head)
			time.Sleep(edge.WriteWithin + time.Second) // too long for what is left of the chunk
			rest, _ := io.ReadAll(client)
			read <- string(head) + string(rest)
		}()
		if err := own.put([][]byte{[]byte("abcdefgh")}); !errors.Is(err, os.ErrDeadlineExceeded) {
			t.Fatal(err)
		}
		began := time.Now()
		own.close()
		if took := time.Since(began); took > 0 {
			t.Errorf("it was closed after %s", took)
		}
		if got := <-read; got != "8\r\nabc" {
			t.Errorf("the listener has read %q", got)
		}
	})
}
