package outside

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
)

// bank is the external server: it has pages of untrusted content, and counts its orders by the number in each.
type bank struct {
	url string

	mu     sync.Mutex
	pages  map[string]string
	orders map[string]int
	read   map[string]int
}

func newBank(t testing.TB) *bank {
	b := &bank{pages: map[string]string{}, orders: map[string]int{}, read: map[string]int{}}
	server := httptest.NewServer(b)
	t.Cleanup(server.Close)
	b.url = server.URL
	return b
}

func (b *bank) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if name, isPage := strings.CutPrefix(r.URL.Path, "/pages/"); isPage && r.Method == http.MethodGet {
		b.read[name]++
		w.Header().Set("Content-Type", "text/plain")
		_, _ = io.WriteString(w, b.pages[name]) // the client may have gone
		return
	}
	var order struct {
		Order string `json:"order"`
	}
	body, _ := io.ReadAll(r.Body) // one that cannot be read is no order that is known
	if json.Unmarshal(body, &order) != nil || order.Order == "" {
		order.Order = r.URL.Path
	}
	b.orders[order.Order]++
	w.Header().Set("Content-Type", "application/json")
	_, _ = io.WriteString(w, `{"paid": true}`) // the client may have gone
}

// write puts words on a page.
func (b *bank) write(page, words string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.pages[page] = words
}

// asked says how often a page was asked for.
func (b *bank) asked(page string) int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.read[page]
}

// received counts the orders with a number.
func (b *bank) received(order string) int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.orders[order]
}

// all counts every order that came.
func (b *bank) all() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	sum := 0
	for _, n := range b.orders {
		sum += n
	}
	return sum
}

// connect makes the bank's connector in a workspace. Nothing in its settings asks a person:
// whatever does, does it because of what was read.
func (b *bank) connect(w *workspace) {
	w.T.Helper()
	params := map[string]any{
		"type":       "object",
		"properties": map[string]any{"order": map[string]any{"type": "string"}, "amount": map[string]any{"type": "integer"}},
		"required":   []string{"order"},
	}
	command := func(name, effect, method, path string) map[string]any {
		return map[string]any{
			"name": name, "description": "Does it.", "effect": effect, "require_validation": false,
			"params_schema": params, "request": map[string]any{"method": method, "path": path},
		}
	}
	page := map[string]any{"type": "object", "properties": map[string]any{"page": map[string]any{"type": "string"}}, "required": []string{"page"}}
	w.must(201, "POST", "/v1/connectors", map[string]any{
		"name": "Bank", "kind": "http", "prefix": "BANK", "config": map[string]any{"base_url": b.url},
		"commands": []any{
			command("PAY", "non_idempotent", "POST", "/pay"),
			command("SET", "idempotent", "PUT", "/set"),
			command("CLOSE", "idempotent", "DELETE", "/close"),
			map[string]any{
				"name": "READ", "description": "Reads a page.", "effect": "read_only", "require_validation": false,
				"params_schema": page, "request": map[string]any{"method": "GET", "path": "/pages/{page}"},
			},
		},
	})
}
