package main

import (
	"bufio"
	"fmt"
	"net"
	"net/http"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// TestFloods puts one caller at each bound while another workspace's requests are timed,
// and prints what it did to them and to memory. It asserts no time: FERMATA_LONG=1 runs it
// for its figures, and it fails only where memory does not come back.
func TestFloods(t *testing.T) {
	if !long {
		t.Skip("FERMATA_LONG=1 runs it")
	}
	f := newFlooded(t)
	for _, c := range []struct {
		name  string
		flood func(f *flooded)
	}{
		{"150 pages that nobody reads", func(f *flooded) { f.unread(150, "/v1/sessions/"+f.chat+"/messages?limit=200") }},
		{"150 event streams of one key", func(f *flooded) { f.unread(150, "/v1/events/stream") }},
		{"100 slow readers of the whole log", func(f *flooded) { f.unread(100, "/v1/sessions/"+f.chat+"/events/stream?after=0") }},
		{"3,000 forged webhooks", func(f *flooded) { f.many(3000, "POST", "/v1/hooks/aut_none/none", `{}`, "") }},
		{"3,000 bad tokens", func(f *flooded) { f.many(3000, "GET", "/v1/zones", "", "fmt_bad") }},
		{"3,000 idempotency keys", func(f *flooded) { f.many(3000, "POST", "/v1/heartbeat", `{"session_ids":[]}`, f.greedy) }},
		{"300 bodies of 1 MiB", func(f *flooded) {
			f.many(300, "POST", "/v1/heartbeat", `{"session_ids":["`+strings.Repeat("a", 1<<20-100)+`"]}`, f.greedy)
		}},
	} {
		before, calm := heap(), f.timed(400)
		var most atomic.Uint64
		done := make(chan struct{})
		var all sync.WaitGroup
		all.Go(func() {
			for {
				select {
				case <-done:
					return
				case <-time.After(100 * time.Millisecond):
					var m runtime.MemStats
					runtime.ReadMemStats(&m)
					most.Store(max(most.Load(), m.HeapInuse))
				}
			}
		})
		f.statuses = map[string]int{}
		all.Go(func() { c.flood(f) })
		time.Sleep(500 * time.Millisecond)
		busy := f.timed(400)
		f.release()
		close(done)
		all.Wait()
		after := before
		for range 20 {
			time.Sleep(500 * time.Millisecond)
			if after = heap(); after < before+32<<20 {
				break
			}
		}
		t.Logf("%-34s p50 %6s -> %6s  p99 %6s -> %6s  heap %3d -> %3d -> %3d MiB  answers %v", c.name,
			calm[0], busy[0], calm[1], busy[1], before>>20, most.Load()>>20, after>>20, f.statuses)
		if after > before+64<<20 {
			t.Errorf("%s: %d MiB are still held", c.name, (after-before)>>20)
		}
	}
}

// flooded is a server with a workspace whose key floods, and another one whose requests
// are timed.
type flooded struct {
	*server
	greedy, other string // keys
	chat          string // with long messages
	statuses      map[string]int
	mu            sync.Mutex
	conns         []net.Conn
}

func newFlooded(t *testing.T) *flooded {
	const root = "0123456789abcdefghijklmnopqrstuvwxyz"
	f := &flooded{server: newServer(t, databases["sqlite"](t), func(s *serverFlags) { s.RootKey = root })}
	key := func(workspace, role string) string {
		return f.call("POST", "/v1/keys", map[string]any{"name": role, "role": role}, "Authorization", "Bearer "+root, "Fermata-Workspace", workspace).want(201).str("key")
	}
	f.call("POST", "/v1/workspaces", map[string]any{"id": "other"}, "Authorization", "Bearer "+root).want(201)
	admin := key("default", "admin")
	f.greedy, f.other = key("default", "viewer"), key("other", "viewer")
	as := []string{"Authorization", "Bearer " + admin}
	f.call("POST", "/v1/providers", `{"name":"s","kind":"script","is_default":true,"config":{"steps":[{"times":1,"delay_ms":3600000,"answer":{"text":"x"}},{"answer":{"text":"x"}}]}}`, as...).want(201)
	f.chat = f.call("POST", "/v1/sessions", map[string]any{}, as...).want(201).str("id")
	var first, last time.Duration
	for i := range 75 {
		began := time.Now()
		f.call("POST", "/v1/sessions/"+f.chat+"/messages", map[string]any{"text": strings.Repeat("a", 50_000)}, as...).want(202)
		if took := time.Since(began); i < 25 {
			first += took
		} else if i >= 50 {
			last += took
		}
	}
	t.Logf("a waiting message of 50 KB: the first 25 took %s each, the 50th to 75th %s", first/25, last/25)
	return f
}

func heap() uint64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapInuse
}

// timed asks n times, one after the other, as the other workspace: median and 99th
// percentile.
func (f *flooded) timed(n int) [2]time.Duration {
	all := make([]time.Duration, n)
	for i := range all {
		began := time.Now()
		f.call("GET", "/v1/zones", nil, "Authorization", "Bearer "+f.other).want(200)
		all[i] = time.Since(began)
	}
	slices.Sort(all)
	return [2]time.Duration{all[n/2].Round(10 * time.Microsecond), all[n*99/100].Round(10 * time.Microsecond)}
}

// unread asks from n connections, reads the first line of each answer, and no more until
// release.
func (f *flooded) unread(n int, path string) {
	var all sync.WaitGroup
	for range n {
		all.Go(func() {
			conn, err := net.Dial("tcp", strings.TrimPrefix(f.url, "http://"))
			if err != nil {
				f.note("no connection")
				return
			}
			_ = conn.(*net.TCPConn).SetReadBuffer(4096)
			f.mu.Lock()
			f.conns = append(f.conns, conn)
			f.mu.Unlock()
			_, _ = fmt.Fprintf(conn, "GET %s HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer %s\r\n\r\n", path, f.greedy)
			line, _ := bufio.NewReaderSize(conn, 16).ReadString('\n')
			_, status, _ := strings.Cut(strings.TrimSpace(line), " ")
			f.note(status)
		})
	}
	all.Wait()
}

func (f *flooded) release() {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, c := range f.conns {
		_ = c.Close()
	}
	f.conns = nil
}

// many sends n requests, 50 at a time, each with an idempotency key of its own.
func (f *flooded) many(n int, method, path, body, key string) {
	var all sync.WaitGroup
	var next atomic.Int64
	client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 50}}
	defer client.CloseIdleConnections()
	for range 50 {
		all.Go(func() {
			for i := next.Add(1); i <= int64(n); i = next.Add(1) {
				r, _ := http.NewRequest(method, f.url+path, strings.NewReader(body))
				r.Header.Set("Content-Type", "application/json")
				r.Header.Set("Authorization", "Bearer "+key)
				r.Header.Set("Idempotency-Key", fmt.Sprint(path, i))
				res, err := client.Do(r)
				if err != nil {
					f.note("broken off")
					continue
				}
				_ = res.Body.Close()
				f.note(res.Status)
			}
		})
	}
	all.Wait()
}

func (f *flooded) note(status string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.statuses[status]++
}
