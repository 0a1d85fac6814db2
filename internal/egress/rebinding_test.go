package egress

import (
	"context"
	"encoding/binary"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"
	"time"
)

// TestANameThatLeadsElsewhereTheSecondTime: an address is checked each time that it is dialled, not
// when the name was first looked up.
func TestANameThatLeadsElsewhereTheSecondTime(t *testing.T) {
	var reached atomic.Int64
	server := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { reached.Add(1) }))
	defer server.Close()
	_, port, err := net.SplitHostPort(server.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	var leadsTo atomic.Pointer[net.IP]
	before := net.DefaultResolver
	defer func() { net.DefaultResolver = before }()
	net.DefaultResolver = &net.Resolver{PreferGo: true, Dial: func(context.Context, string, string) (net.Conn, error) {
		ours, theirs := net.Pipe()
		go answerNames(theirs, *leadsTo.Load())
		return ours, nil
	}}
	client := NewClient(Config{})
	defer client.CloseIdleConnections()
	ask := func(ip net.IP) error {
		leadsTo.Store(&ip)
		ctx, cancel := context.WithTimeout(t.Context(), 2*time.Second)
		defer cancel()
		request, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://rebinds.example:"+port, nil)
		if err != nil {
			t.Fatal(err)
		}
		response, err := client.Do(request)
		if err == nil {
			_ = response.Body.Close()
		}
		return err
	}
	if err := ask(net.IPv4(93, 184, 215, 14)); errors.Is(err, ErrForbidden) {
		t.Errorf("a public address: %v", err) // no response is needed
	}
	for _, private := range []net.IP{net.IPv4(127, 0, 0, 1), net.IPv4(169, 254, 169, 254), net.IPv4(10, 0, 0, 1)} {
		if err := ask(private); !errors.Is(err, ErrForbidden) {
			t.Errorf("the second time it leads to %s: %v", private, err)
		}
	}
	if reached.Load() != 0 {
		t.Errorf("loopback was reached %d times", reached.Load())
	}
}

// answerNames resolves every name queried over a stream to this address.
func answerNames(c net.Conn, ip net.IP) {
	defer func() { _ = c.Close() }()
	for {
		var length uint16
		if binary.Read(c, binary.BigEndian, &length) != nil {
			return
		}
		query := make([]byte, length)
		if _, err := io.ReadFull(c, query); err != nil {
			return
		}
		end := 12 // behind the header the name, in labels
		for query[end] != 0 {
			end += int(query[end]) + 1
		}
		end += 5
		answer := append([]byte{}, query[:end]...)
		binary.BigEndian.PutUint16(answer[2:], 0x8180) // an answer, and no error
		binary.BigEndian.PutUint16(answer[10:], 0)     // nothing additional
		if kind := binary.BigEndian.Uint16(query[end-4:]); kind == 1 {
			binary.BigEndian.PutUint16(answer[6:], 1)
			answer = append(answer, 0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 0, 0, 4)
			answer = append(answer, ip.To4()...)
		}
		if binary.Write(c, binary.BigEndian, uint16(len(answer))) != nil {
			return
		}
		if _, err := c.Write(answer); err != nil {
			return
		}
	}
}
