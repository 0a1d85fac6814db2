package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/fermata-dev/fermata/api"
)

// doctorCommand looks at everything that must be right and says how to mend what is
// not.
type doctorCommand struct {
	clientFlags `embed:""`
	serverFlags `embed:"" group:"What the server of this machine is started with"`
	NoCall      bool `help:"Do not make a test call of the AI (it may cost a little)."`
}

// level of a finding.
type level string

const (
	levelOK      level = "ok"
	levelWarning level = "warning"
	levelFailed  level = "failed"
	levelSkipped level = "skipped"
)

// finding is what one check found. Mend says what to do about it.
type finding struct {
	Check  string `json:"check"`
	Level  level  `json:"level"`
	Detail string `json:"detail"`
	Mend   string `json:"mend,omitempty"`
}

// Run checks. Something that is wrong is an error, and so the exit code 1.
func (c *doctorCommand) Run(cc *cliContext) error {
	findings := append(c.local(cc), c.remote(cc)...)
	if err := report(cc, c.Output, findings); err != nil {
		return err
	}
	bad := 0
	for _, f := range findings {
		if f.Level == levelFailed {
			bad++
		}
	}
	if bad > 0 {
		return fmt.Errorf("%d of %d checks failed", bad, len(findings))
	}
	return nil
}

func report(cc *cliContext, output string, findings []finding) error {
	if output == "json" {
		return printJSON(cc.out, findings)
	}
	marks := map[level]string{levelOK: "ok  ", levelWarning: "WARN", levelFailed: "FAIL", levelSkipped: "-   "}
	s := screen{out: cc.out}
	for _, f := range findings {
		s.line("%s  %-18s  %s", marks[f.Level], f.Check, f.Detail)
		if f.Mend != "" {
			s.line("      %-18s  -> %s", "", f.Mend)
		}
	}
	return nil
}

// doctor asks a running server.
type doctor struct {
	*client
	cc   *cliContext
	date string // of the first answer
	at   time.Time
}

// remote checks the server, from "does it answer" to "does the AI".
func (c *doctorCommand) remote(cc *cliContext) []finding {
	client, err := c.client()
	if err != nil {
		return []finding{{"url", levelFailed, err.Error(), "Set --url or FERMATA_URL, and at most one of FERMATA_KEY and FERMATA_KEY_FILE."}}
	}
	client.pause = 0
	d := &doctor{client: client, cc: cc}
	reachable := d.reachable()
	if reachable.Level == levelFailed {
		return []finding{reachable}
	}
	findings := []finding{reachable, d.version(), d.ready(), d.skew()}
	access := d.access()
	findings = append(findings, access)
	if access.Level == levelFailed {
		return findings
	}
	findings = append(findings, d.stream(), d.invariants())
	return append(findings, d.provider(c.NoCall)...)
}

func (d *doctor) reachable() finding {
	ctx, cancel := context.WithTimeout(d.cc, 10*time.Second)
	defer cancel()
	response, err := d.send(ctx, http.MethodGet, "/healthz", nil, "", "application/json")
	if refused, ok := errors.AsType[*serverError](err); ok {
		return finding{"server", levelFailed, fmt.Sprintf("%s answers, but not as Fermata does (HTTP %d)", d.base, refused.Status),
			"Look whether another program listens there, or a proxy stands in between; set --url or FERMATA_URL."}
	}
	if err != nil {
		return finding{"server", levelFailed, fmt.Sprintf("%s does not answer: %v", d.base, errors.Unwrap(err)),
			"Start it with `fermata serve`, or set --url or FERMATA_URL to where it runs."}
	}
	defer func() { _ = response.Body.Close() }()
	d.date, d.at = response.Header.Get("Date"), d.cc.clock()
	return finding{"server", levelOK, d.base + " answers", ""}
}

func (d *doctor) version() finding {
	var v api.Version
	if err := d.call(d.cc, http.MethodGet, "/version", nil, &v); err != nil {
		return finding{"version", levelFailed, err.Error(), "Something else than Fermata may be listening at this URL."}
	}
	if v.Version != version {
		return finding{"version", levelWarning, fmt.Sprintf("the server is %s, this command is %s", v.Version, version), "Use the same version of both."}
	}
	return finding{"version", levelOK, v.Version, ""}
}

func (d *doctor) ready() finding {
	if err := d.call(d.cc, http.MethodGet, "/readyz", nil, nil); err != nil {
		return finding{"ready", levelFailed, err.Error(),
			"The server runs but cannot work: look at its log. Is the database there and migrated (fermata migrate)? Is it shutting down?"}
	}
	return finding{"ready", levelOK, "the server has its database", ""}
}

// skewAllowed is more than a round trip and the header's whole seconds explain.
const skewAllowed = 5 * time.Second

func (d *doctor) skew() finding {
	there, err := http.ParseTime(d.date)
	if err != nil {
		return finding{"clock", levelSkipped, "the server sent no Date", ""}
	}
	skew := d.at.Sub(there)
	if skew.Abs() > skewAllowed {
		return finding{"clock", levelFailed, fmt.Sprintf("this machine and the server differ by %s", skew.Round(time.Second)),
			"Set both clocks by NTP (timedatectl set-ntp true): schedules, expiries and signatures depend on the time."}
	}
	return finding{"clock", levelOK, "agrees with the server", ""}
}

func (d *doctor) access() finding {
	err := d.call(d.cc, http.MethodGet, "/v1/sessions?limit=1", nil, nil)
	if err == nil {
		how := "with the key"
		if d.key == "" {
			how = "without a key: this server listens on loopback only, or trusts everyone who reaches it"
		}
		return finding{"access", levelOK, "accepted " + how, ""}
	}
	mend := "Look at the server's log under the request id."
	switch codeOf(err) {
	case "unauthenticated":
		mend = "Set FERMATA_KEY (or FERMATA_KEY_FILE) to a key of this server; make one with `fermata keys create`."
	case "forbidden":
		mend = "The key belongs to another workspace: leave --workspace out, or use a key of that workspace."
	case "not_found":
		mend = "There is no such workspace: leave --workspace out, or make it with POST /v1/workspaces."
	}
	return finding{"access", levelFailed, err.Error(), mend}
}

// streamWithin is how soon the first event must come.
const streamWithin = 5 * time.Second

// errSeen ends a stream that was only looked at.
var errSeen = errors.New("seen")

func (d *doctor) stream() finding {
	ctx, cancel := context.WithTimeout(d.cc, streamWithin)
	defer cancel()
	begun := d.cc.clock()
	f := &follower{client: d.client, path: "/v1/events", cursor: noCursor, take: func(sseEvent) error { return errSeen }}
	_, err := f.once(ctx)
	if errors.Is(err, errSeen) {
		return finding{"event stream", levelOK, fmt.Sprintf("the first event came after %d ms", d.cc.clock().Sub(begun).Milliseconds()), ""}
	}
	return finding{"event stream", levelFailed, fmt.Sprintf("no event within %s: %v", streamWithin, err),
		"A proxy that gathers answers holds it back: switch buffering and compression off for text/event-stream (nginx: proxy_buffering off)."}
}

func (d *doctor) invariants() finding {
	var list api.InvariantList
	if err := d.call(d.cc, http.MethodGet, "/v1/admin/invariants", nil, &list); err != nil {
		if codeOf(err) == "forbidden" {
			return finding{"invariants", levelSkipped, "this key may not look (role admin)", ""}
		}
		return finding{"invariants", levelFailed, err.Error(), "Look at the server's log under the request id."}
	}
	var broken []string
	for _, i := range list.Data {
		if i.Count != 0 {
			broken = append(broken, fmt.Sprintf("%s: %d", i.Name, i.Count))
		}
	}
	if len(broken) > 0 {
		return finding{"invariants", levelFailed, strings.Join(broken, ", "),
			"The data is not as it must be: keep a copy of the database and the log, and report it."}
	}
	return finding{"invariants", levelOK, fmt.Sprintf("%d hold", len(list.Data)), ""}
}

// provider looks at what answers: each configured provider is called once, and one of
// them should be the default.
func (d *doctor) provider(noCall bool) []finding {
	var list api.ProviderList
	if err := d.call(d.cc, http.MethodGet, "/v1/providers?limit=200", nil, &list); err != nil {
		if codeOf(err) == "forbidden" {
			return []finding{{"provider", levelSkipped, "this key may not look", ""}}
		}
		return []finding{{"provider", levelFailed, err.Error(), "Look at the server's log under the request id."}}
	}
	found := []finding{whoAnswers(list.Data)}
	for _, p := range list.Data {
		if !noCall {
			found = append(found, d.testCall(p))
		}
	}
	return found
}

// whoAnswers: the default provider, or the demo without one.
func whoAnswers(all []api.Provider) finding {
	for _, p := range all {
		if p.IsDefault {
			return finding{"provider", levelOK, fmt.Sprintf("%s (%s)", p.Name, p.Kind), ""}
		}
	}
	if len(all) > 0 {
		return finding{"provider", levelWarning, fmt.Sprintf("none of the %d providers is the default; the built-in demo answers", len(all)),
			fmt.Sprintf("Make one the default: PATCH /v1/providers/%s {\"is_default\": true}.", all[0].ID)}
	}
	return finding{"provider", levelWarning, "none is configured; the built-in demo answers", "Configure one: see examples/10-another-provider.sh."}
}

func (d *doctor) testCall(p api.Provider) finding {
	check := "test call"
	var test api.ProviderTest
	if err := d.call(d.cc, http.MethodPost, "/v1/providers/"+p.ID+"/test", nil, &test); err != nil {
		if codeOf(err) == "forbidden" {
			return finding{check, levelSkipped, "this key may not make one (role admin)", ""}
		}
		return finding{check, levelFailed, p.Name + ": " + err.Error(), "Look at the server's log under the request id."}
	}
	if test.Ok {
		return finding{check, levelOK, fmt.Sprintf("%s: %s answered after %d ms", p.Name, deref(test.Model), test.LatencyMs), ""}
	}
	if test.Error == nil {
		return finding{check, levelFailed, p.Name + ": the call failed without a reason", "Look at the server's log."}
	}
	return finding{check, levelFailed, fmt.Sprintf("%s: %s It says: %s (%s)", p.Name, test.Error.Meaning, test.Error.Message, test.Error.Code),
		fmt.Sprintf("%s PATCH /v1/providers/%s.", test.Error.Mend, p.ID)}
}
