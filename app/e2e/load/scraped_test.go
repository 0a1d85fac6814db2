package load

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"github.com/fermata-dev/fermata/app/e2e/harness"
	"github.com/fermata-dev/fermata/internal/testkit"
)

const operating = "../../../deploy/"

// TestARealPrometheus scrapes a server at work with the real Prometheus, and asks it every
// query of docs/metrics.md, of the dashboard and of the alert rules: each is understood, and
// names only metrics that there are.
func TestARealPrometheus(t *testing.T) {
	binary, err := exec.LookPath("prometheus")
	if err != nil {
		t.Skip("there is no prometheus: scripts/need prometheus installs it")
	}
	s := harness.NewServer(t, harness.Databases["sqlite"](t))
	chat := s.Chat()
	for range 5 {
		s.Say(chat, "list my zones")
		s.Settle(chat)
	}
	prometheus := scrape(t, binary, strings.TrimPrefix(s.URL, "http://"))
	there := names(t, prometheus)
	for _, q := range queries(t) {
		if _, err := ask(prometheus, q.text); err != nil {
			t.Errorf("%s asks %s: %v", q.from, q.text, err)
		}
		for _, name := range regexp.MustCompile(`fermata_[a-z_]+`).FindAllString(q.text, -1) {
			if !slices.ContainsFunc(there, func(known string) bool { return known == name || seldom[name] }) {
				t.Errorf("%s asks for %s, which the server does not export", q.from, name)
			}
		}
	}
	rounds, err := ask(prometheus, "fermata_round_seconds_count")
	if err != nil || !strings.Contains(rounds, `"5"`) {
		t.Errorf("five rounds were counted as %s (%v)", rounds, err)
	}
	documented(t, there)
}

// seldom are metrics that nothing in this test brings about.
var seldom = map[string]bool{
	"fermata_occurrences_total": true, "fermata_limits_reached_total": true, "fermata_loop_guard_total": true,
	"fermata_connector_calls_total": true, "fermata_connector_call_seconds_bucket": true,
	"fermata_tasks_ended_total": true, "fermata_agent_runs_total": true, "fermata_sign_ins_total": true,
	"fermata_webhook_deliveries_total": true, "fermata_approvals_total": true, "fermata_ai_cost_total": true, "fermata_ai_tokens_total": true,
	"fermata_ai_first_token_seconds_bucket": true, "fermata_trace_spans_total": true,
	"fermata_tls_certificate_expiry_timestamp_seconds": true, "fermata_tls_certificate_unusable": true,
}

// documented checks that the page lists every metric of the server.
func documented(t *testing.T, there []string) {
	t.Helper()
	page, err := os.ReadFile("../../../docs/metrics.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range there {
		for _, suffix := range []string{"_bucket", "_sum", "_count"} {
			name = strings.TrimSuffix(name, suffix)
		}
		if strings.HasPrefix(name, "fermata_") && !bytes.Contains(page, []byte("| `"+name+"` |")) {
			t.Errorf("%s is not in docs/metrics.md", name)
		}
	}
}

// query is one that we give to people.
type query struct{ from, text string }

// queries are all of them, with the intervals of a test.
func queries(t *testing.T) (all []query) {
	t.Helper()
	page, err := os.ReadFile("../../../docs/metrics.md")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(page)) {
		cells := strings.Split(strings.ReplaceAll(line, `\|`, "\x00"), "|")
		if len(cells) == 6 && strings.HasPrefix(strings.TrimSpace(cells[1]), "`fermata_") {
			all = append(all, query{"docs/metrics.md", strings.ReplaceAll(strings.Trim(strings.TrimSpace(cells[4]), "`"), "\x00", "|")})
		}
	}
	var board struct {
		Panels []struct {
			Title   string
			Targets []struct{ Expr string }
		}
	}
	read(t, "grafana/fermata.json", &board, json.Unmarshal)
	for _, p := range board.Panels {
		for _, target := range p.Targets {
			all = append(all, query{"the panel " + p.Title, target.Expr})
		}
	}
	var rules struct {
		Groups []struct {
			Rules []struct{ Alert, Expr string }
		}
	}
	read(t, "prometheus/alerts.yaml", &rules, yaml.Unmarshal)
	for _, r := range rules.Groups[0].Rules {
		all = append(all, query{"the alert " + r.Alert, r.Expr})
	}
	if len(all) < 60 {
		t.Errorf("only %d queries were found", len(all))
	}
	return all
}

func read(t *testing.T, path string, to any, parse func([]byte, any) error) {
	t.Helper()
	text, err := os.ReadFile(operating + path)
	if err == nil {
		err = parse(text, to)
	}
	if err != nil {
		t.Fatalf("%s: %v", path, err)
	}
}

// scrape runs a Prometheus that scrapes a server often, and gives its address.
func scrape(t *testing.T, binary, server string) (base string) {
	t.Helper()
	dir := t.TempDir()
	free, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := free.Addr().String()
	_ = free.Close()
	rules, err := filepath.Abs(operating + "prometheus/alerts.yaml")
	if err != nil {
		t.Fatal(err)
	}
	config := fmt.Sprintf("scrape_configs:\n  - job_name: fermata\n    scrape_interval: 1s\n    static_configs: [{targets: [%q]}]\nrule_files: [%q]\n", server, rules)
	if err := os.WriteFile(filepath.Join(dir, "prometheus.yml"), []byte(config), 0o600); err != nil {
		t.Fatal(err)
	}
	var log bytes.Buffer
	child := exec.Command(binary, "--config.file="+filepath.Join(dir, "prometheus.yml"), "--storage.tsdb.path="+filepath.Join(dir, "data"), "--web.listen-address="+address)
	child.Stdout, child.Stderr = &log, &log
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = child.Process.Kill(); _ = child.Wait() })
	base = "http://" + address
	testkit.Until(t, "Prometheus to scrape", func() bool {
		answer, err := ask(base, `up{job="fermata"} == 1 and on () fermata_round_seconds_count == 5`)
		return err == nil && strings.Contains(answer, "fermata")
	})
	return base
}

// ask gives the answer to a query.
func ask(prometheus, query string) (string, error) {
	response, err := http.Get(prometheus + "/api/v1/query?query=" + url.QueryEscape(query))
	if err != nil {
		return "", err
	}
	defer func() { _ = response.Body.Close() }()
	answer, err := io.ReadAll(response.Body)
	if err == nil && response.StatusCode != http.StatusOK {
		err = fmt.Errorf("%s: %s", response.Status, answer)
	}
	return string(answer), err
}

// names are those of all series that it has.
func names(t *testing.T, prometheus string) []string {
	t.Helper()
	response, err := http.Get(prometheus + "/api/v1/label/__name__/values")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = response.Body.Close() }()
	var answer struct{ Data []string }
	if err := json.NewDecoder(response.Body).Decode(&answer); err != nil {
		t.Fatal(err)
	}
	return answer.Data
}
