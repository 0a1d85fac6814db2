package testkit

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"net"
	"net/url"
	"strings"
	"sync"
	"testing"
)

// CutProxy is a proxy for PostgreSQL that breaks a connection at a chosen point: either the server has
// executed a request and its reply is lost, or the request itself is lost.
type CutProxy struct {
	listener         net.Listener
	network, address string
	done             sync.WaitGroup

	mu       sync.Mutex
	conns    map[net.Conn]bool
	closed   bool
	refuse   bool // refuse new connections after a cut
	replies  int
	requests int
	reply    int // number of the reply to cut at; 0: never
	request  int
	cut      string // what was cut; "": nothing yet
	marked   []byte // requests that contain it are held back; empty: none
	held     int
	letGo    chan struct{}
}

// NewCutProxy starts a proxy for the server of Postgres. It stops with the test.
func NewCutProxy(t testing.TB) *CutProxy {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatalf("start the proxy: %v", err)
	}
	p := &CutProxy{listener: listener, conns: map[net.Conn]bool{}}
	p.network, p.address = PostgresSocket()
	p.done.Add(1)
	go p.accept()
	t.Cleanup(p.stop)
	return p
}

// URL is the database URL direct, through the proxy.
func (p *CutProxy) URL(t testing.TB, direct string) string {
	t.Helper()
	u, err := url.Parse(direct)
	if err != nil {
		t.Fatalf("parse the URL: %v", err)
	}
	q := u.Query()
	host, port, err := net.SplitHostPort(p.listener.Addr().String())
	if err != nil {
		t.Fatalf("parse the proxy's address: %v", err)
	}
	q.Set("host", host)
	q.Set("port", port)
	u.RawQuery = q.Encode()
	return u.String()
}

// LoseReply cuts once, in place of the n-th reply from now: the server has executed the request.
// LoseReply(0) never cuts, and only counts.
func (p *CutProxy) LoseReply(n int) { p.arm(n, 0, false) }

// LoseRequest cuts once, in place of the n-th request from now: the server never receives it.
func (p *CutProxy) LoseRequest(n int) { p.arm(0, n, false) }

// LoseReplyForGood is LoseReply, and new connections are refused after it.
func (p *CutProxy) LoseReplyForGood(n int) { p.arm(n, 0, true) }

func (p *CutProxy) arm(reply, request int, refuse bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.replies, p.requests, p.reply, p.request, p.refuse, p.cut = 0, 0, reply, request, refuse, ""
}

// Replies counts the replies since the last Lose….
func (p *CutProxy) Replies() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.replies
}

// Cut is the server's name for what was cut since the last Lose… ("COMMIT"); "" if nothing was.
func (p *CutProxy) Cut() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.cut
}

func (p *CutProxy) accept() {
	defer p.done.Done()
	for {
		client, err := p.listener.Accept()
		if err != nil {
			return // the listener was closed
		}
		p.mu.Lock()
		refuse := p.closed || p.refuse && p.cut != ""
		p.mu.Unlock()
		if refuse {
			_ = client.Close()
			continue
		}
		upstream, err := net.Dial(p.network, p.address)
		if err != nil {
			_ = client.Close()
			continue
		}
		p.mu.Lock()
		p.conns[client], p.conns[upstream] = true, true
		p.mu.Unlock()
		p.done.Add(2)
		ended := make(chan struct{})
		go p.pass(client, upstream, func(r *bufio.Reader, to net.Conn) error { return p.fromClient(r, to, client, ended) })
		go p.pass(upstream, client, func(r *bufio.Reader, to net.Conn) error {
			defer close(ended)
			return p.fromServer(r, to)
		})
	}
}

// pass copies one direction until it ends or is cut; then both ends are closed.
func (p *CutProxy) pass(from, to net.Conn, copy func(*bufio.Reader, net.Conn) error) {
	defer p.done.Done()
	// All errors mean that the connection has ended.
	_ = copy(bufio.NewReader(from), to)
	_ = from.Close()
	_ = to.Close()
	p.mu.Lock()
	delete(p.conns, from)
	p.mu.Unlock()
}

// frame reads one message: its type, and all its bytes.
func frame(r *bufio.Reader) (byte, []byte, error) {
	head := make([]byte, 5)
	if _, err := io.ReadFull(r, head); err != nil {
		return 0, nil, err
	}
	size := int(binary.BigEndian.Uint32(head[1:]))
	if size < 4 {
		return 0, nil, fmt.Errorf("a message of %d bytes", size)
	}
	all := make([]byte, 1+size)
	copy(all, head)
	if _, err := io.ReadFull(r, all[5:]); err != nil {
		return 0, nil, err
	}
	return head[0], all, nil
}

// fromServer collects one reply, up to "ready for query", and passes it on or cuts the connection.
func (p *CutProxy) fromServer(r *bufio.Reader, to net.Conn) error {
	var batch []byte
	word := "reply"
	for {
		kind, message, err := frame(r)
		if err != nil {
			return err
		}
		batch = append(batch, message...)
		switch kind {
		case 'C':
			word = strings.TrimRight(string(message[5:]), "\x00")
		case 'R': // an authentication step has a reply before "ready for query"
			if _, err := to.Write(batch); err != nil {
				return err
			}
			batch = nil
		case 'Z':
			if p.countReply(word) {
				return io.EOF
			}
			if _, err := to.Write(batch); err != nil {
				return err
			}
			batch, word = nil, "reply"
		}
	}
}

func (p *CutProxy) countReply(word string) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.replies++
	if p.reply == 0 || p.replies != p.reply {
		return false
	}
	p.cut = word
	return true
}

// fromClient passes requests on, or cuts the connection in place of one. The first message of a connection
// has no type.
func (p *CutProxy) fromClient(r *bufio.Reader, to, client net.Conn, ended <-chan struct{}) error {
	size, err := r.Peek(4)
	if err != nil {
		return err
	}
	hello := make([]byte, binary.BigEndian.Uint32(size))
	if _, err := io.ReadFull(r, hello); err != nil {
		return err
	}
	if _, err := to.Write(hello); err != nil {
		return err
	}
	var batch []byte
	for {
		kind, message, err := frame(r)
		if err != nil {
			return err
		}
		batch = append(batch, message...)
		if kind != 'S' && kind != 'Q' && kind != 'X' && kind != 'p' {
			continue // the request continues until it is flushed
		}
		if kind != 'X' && p.countRequest(batch) {
			return io.EOF
		}
		if letGo := p.holds(batch); letGo != nil {
			_ = client.Close() // the client loses the connection
			<-letGo
			if _, err := to.Write(batch); err != nil {
				return err
			}
			<-ended // the server has replied, and the reply is discarded
			return io.EOF
		}
		if _, err := to.Write(batch); err != nil {
			return err
		}
		batch = nil
	}
}

// HoldBack delays every request that contains a text: its client loses the connection, and the server
// receives it when LetGo is called.
func (p *CutProxy) HoldBack(text string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.marked, p.held, p.letGo = []byte(text), 0, make(chan struct{})
}

// LetGo delivers the delayed requests, and delays no more. It returns their number; Replies counts their
// replies.
func (p *CutProxy) LetGo() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.letGo != nil {
		close(p.letGo)
	}
	p.marked, p.letGo, p.replies = nil, nil, 0
	return p.held
}

func (p *CutProxy) holds(batch []byte) chan struct{} {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.marked) == 0 || !bytes.Contains(batch, p.marked) {
		return nil
	}
	p.held++
	return p.letGo
}

func (p *CutProxy) countRequest(batch []byte) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.requests++
	if p.request == 0 || p.requests != p.request {
		return false
	}
	p.cut = "request"
	if batch[0] == 'Q' {
		p.cut = strings.TrimRight(string(batch[5:]), "\x00")
	}
	return true
}

func (p *CutProxy) stop() {
	p.mu.Lock()
	p.closed = true
	for conn := range p.conns {
		_ = conn.Close()
	}
	p.mu.Unlock()
	p.LetGo()
	_ = p.listener.Close()
	p.done.Wait()
}
