package events

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"strconv"
	"sync"
	"time"

	"github.com/fermata-dev/fermata/handlers/edge"
	"github.com/fermata-dev/fermata/internal/clock"
)

// takeOver continues the stream without net/http, which keeps a grown stack, two buffers and the whole request for
// every idle stream. It returns false if the connection cannot be hijacked, as with HTTP/2; the handler then
// continues.
func (e *eventStream) takeOver(control *http.ResponseController, r *http.Request) bool {
	if edge.RequestID(r) == "" {
		return false // nothing would log its end
	}
	conn, _, err := control.Hijack()
	if err != nil {
		return false
	}
	rest := edge.HandOn(r)
	own := &ownConn{conn: conn, chunked: r.ProtoAtLeast(1, 1)}
	e.out = own
	go e.follow(own, rest)
	return true
}

// follow is the rest of a stream's life on a connection of its own.
func (e *eventStream) follow(own *ownConn, request *edge.Outcome) {
	defer e.s.Over(request)
	defer func() { request.Bytes += own.sent }()
	defer e.close() // last: waiting for the end of the streams includes their connections
	defer own.close()
	ctx, left := context.WithCancel(context.Background())
	defer left()
	go awaitLeave(own.conn, left)
	e.logError(ctx, e.run(ctx))
}

// awaitLeave calls left when the client disconnects, and returns when the connection is closed. A client that sends
// more data is no longer watched: its disconnect shows when a write fails.
func awaitLeave(conn net.Conn, left context.CancelFunc) {
	var one [1]byte
	if n, _ := conn.Read(one[:]); n == 0 {
		left()
	}
}

const (
	// sentTogether is what goes out in one write, with one deadline.
	sentTogether = 4 << 10
	// deadlineSlack is by how much less than edge.WriteWithin a write may have: setting a deadline
	// is a good part of what a small frame costs.
	deadlineSlack = time.Second
)

// ownConn is the connection of a stream that was taken over.
type ownConn struct {
	conn    net.Conn
	chunked bool // HTTP/1.1: the body continues in chunks, as net/http began it
	sent    int64
	until   time.Time // the deadline that is set
	broken  bool      // a write failed, perhaps in the middle of a chunk
}

var chunkBuffers = sync.Pool{New: func() any { return new([sentTogether + 32]byte) }}

func (c *ownConn) flush() error { return nil } // nothing is held back

func (c *ownConn) put(frames [][]byte) error {
	for len(frames) > 0 {
		n, size := 1, len(frames[0])
		for n < len(frames) && size+len(frames[n]) <= sentTogether {
			size += len(frames[n])
			n++
		}
		if err := c.sendChunk(frames[:n], size); err != nil {
			return fmt.Errorf("write to an event stream: %w", err)
		}
		c.sent += int64(size)
		frames = frames[n:]
	}
	return nil
}

// sendChunk writes a few frames at once, or one large one as it is.
func (c *ownConn) sendChunk(frames [][]byte, size int) error {
	if size == 0 {
		return nil // an empty chunk would be the end
	}
	buffer := chunkBuffers.Get().(*[sentTogether + 32]byte)
	defer chunkBuffers.Put(buffer)
	out := buffer[:0]
	if c.chunked {
		out = append(strconv.AppendInt(out, int64(size), 16), "\r\n"...)
	}
	for _, f := range frames {
		if size <= sentTogether {
			out = append(out, f...)
			continue
		}
		if err := c.write(out); err != nil {
			return err
		}
		if err := c.write(f); err != nil {
			return err
		}
		out = buffer[:0]
	}
	if c.chunked {
		out = append(out, "\r\n"...)
	}
	return c.write(out)
}

// write writes within the time that every write has.
func (c *ownConn) write(b []byte) error {
	if len(b) == 0 {
		return nil
	}
	now, within := clock.System(), edge.TimeToWrite(len(b))
	if left := c.until.Sub(now); left < within-deadlineSlack || left > within {
		c.until = now.Add(within)
		if err := c.conn.SetWriteDeadline(c.until); err != nil {
			return fmt.Errorf("set a write deadline: %w", err)
		}
	}
	_, err := c.conn.Write(b)
	c.broken = c.broken || err != nil
	return err
}

// close ends the body and the connection. After a write that failed nothing more is sent:
// it would wait once more for who takes nothing in, and be read as a part of what is cut.
func (c *ownConn) close() {
	if c.chunked && !c.broken {
		_ = c.write([]byte("0\r\n\r\n")) // the client may have disconnected
	}
	_ = c.conn.Close()
}
