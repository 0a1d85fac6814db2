package doctor

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/fermata-dev/fermata/api"
	"github.com/fermata-dev/fermata/cli/command"
	"github.com/fermata-dev/fermata/cli/remote"
	"github.com/fermata-dev/fermata/internal/diagnosis"
)

// Command checks an installation and suggests fixes.
type Command struct {
	command.ClientFlags `embed:""`
	NoCall              bool          `help:"Make no test calls of the AI (they may cost a little)."`
	Within              time.Duration `name:"backup-within" help:"Warn if the newest backup is older than this." default:"168h" placeholder:"DURATION"`
}

// Near sets the URL to the server on this machine, unless one was given.
func (c *Command) Near(listen string, withTLS bool) {
	if c.URL == localURL("", false) {
		c.URL = localURL(listen, withTLS)
	}
}

// Check reports the findings about this machine, then checks the server. A failed check is an error, and
// so exit code 1.
func (c *Command) Check(cc *command.Context, local []diagnosis.Finding) error {
	findings := slices.Concat(local, c.remote(cc))
	if err := report(cc, c.Output, findings); err != nil {
		return err
	}
	bad := 0
	for _, f := range findings {
		if f.Level == diagnosis.LevelFailed {
			bad++
		}
	}
	if bad > 0 {
		return fmt.Errorf("%d of %d checks failed", bad, len(findings))
	}
	return nil
}

func report(cc *command.Context, output string, findings []diagnosis.Finding) error {
	if output == "json" {
		return command.PrintJSON(cc.Out, findings)
	}
	marks := map[diagnosis.Level]string{diagnosis.LevelOK: "ok  ", diagnosis.LevelWarning: "WARN", diagnosis.LevelFailed: "FAIL",
		diagnosis.LevelSkipped: "-   "}
	var text strings.Builder
	for _, f := range findings {
		fmt.Fprintf(&text, "%s  %-18s  %s\n", marks[f.Level], f.Check, f.Detail)
		if f.Fix != "" {
			fmt.Fprintf(&text, "      %-18s  -> %s\n", "", f.Fix)
		}
	}
	if _, err := io.WriteString(cc.Out, command.Printable(text.String())); err != nil {
		return fmt.Errorf("print the findings: %w", err)
	}
	return nil
}

// doctor checks a running server.
type doctor struct {
	*remote.Client
	cc   *command.Context
	date string // the Date header of the first response
	at   time.Time
}

// remote checks the server, from its reachability to a test call of the AI.
func (c *Command) remote(cc *command.Context) []diagnosis.Finding {
	client, err := c.Client(cc)
	if err != nil {
		return []diagnosis.Finding{diagnosis.Failed("url", err.Error(),
			"Set --url or FERMATA_URL, and at most one of FERMATA_KEY and FERMATA_KEY_FILE.")}
	}
	client.Pause = 0
	d := &doctor{Client: client, cc: cc}
	reachable := d.reachable()
	if reachable.Level == diagnosis.LevelFailed {
		return []diagnosis.Finding{reachable}
	}
	findings := []diagnosis.Finding{reachable, d.version(), d.ready(), d.skew()}
	access := d.access()
	findings = append(findings, access)
	if access.Level == diagnosis.LevelFailed {
		return findings
	}
	findings = append(findings, d.stream(), d.metrics(), d.invariants(), d.webhooks())
	findings = append(findings, d.connectors()...)
	return append(findings, d.provider(c.NoCall)...)
}

func (d *doctor) reachable() diagnosis.Finding {
	ctx, cancel := context.WithTimeout(d.cc, 10*time.Second)
	defer cancel()
	response, err := d.Send(ctx, http.MethodGet, "/healthz", nil, "", "application/json")
	if refused, ok := errors.AsType[*remote.ServerError](err); ok {
		return diagnosis.Failed("server", fmt.Sprintf("%s responds, but not like Fermata (HTTP %d)", d.Base, refused.Status),
			"Check whether another program or a proxy responds there; set --url or FERMATA_URL.")
	}
	if why := remote.Distrusted(err); why != "" {
		return diagnosis.Failed("server", fmt.Sprintf("%s cannot be trusted: %v", d.Base, errors.Unwrap(err)), why)
	}
	if err != nil {
		return diagnosis.Failed("server", fmt.Sprintf("%s does not respond: %v", d.Base, errors.Unwrap(err)),
			"Start it with `fermata serve`, or set --url or FERMATA_URL to its address.")
	}
	defer func() { _ = response.Body.Close() }()
	d.date, d.at = response.Header.Get("Date"), d.cc.Clock()
	return diagnosis.OK("server", d.Base+" answers")
}

func (d *doctor) version() diagnosis.Finding {
	var v api.Version
	if err := d.Call(d.cc, http.MethodGet, "/version", nil, &v); err != nil {
		return diagnosis.Failed("version", err.Error(), "Another program may be listening at this URL.")
	}
	if v.Version != d.cc.Version {
		return diagnosis.Warning("version", fmt.Sprintf("the server is %s, this command is %s", v.Version, d.cc.Version),
			"Use the same version of both.")
	}
	return diagnosis.OK("version", v.Version)
}

func (d *doctor) ready() diagnosis.Finding {
	if err := d.Call(d.cc, http.MethodGet, "/readyz", nil, nil); err != nil {
		return diagnosis.Failed("ready", err.Error(),
			"The server runs but is not ready: see its log. Is the database reachable and migrated (fermata migrate)? Is it shutting down?")
	}
	return diagnosis.OK("ready", "the server can use its database")
}

// skewAllowed exceeds the error of the measurement: a round trip, and whole seconds in the header.
const skewAllowed = 5 * time.Second

func (d *doctor) skew() diagnosis.Finding {
	there, err := http.ParseTime(d.date)
	if err != nil {
		return diagnosis.Skipped("clock", "the server sent no Date header")
	}
	skew := d.at.Sub(there)
	if skew.Abs() > skewAllowed {
		return diagnosis.Failed("clock", fmt.Sprintf("this machine and the server differ by %s", skew.Round(time.Second)),
			"Set both clocks by NTP (timedatectl set-ntp true): schedules, expiries and signatures depend on the time.")
	}
	return diagnosis.OK("clock", "agrees with the server")
}

func (d *doctor) access() diagnosis.Finding {
	err := d.Call(d.cc, http.MethodGet, "/v1/sessions?limit=1", nil, nil)
	if err == nil {
		how := "with the key"
		if d.Key == "" {
			how = "without a key: this server listens on loopback only, or trusts everyone who can reach it"
		}
		return diagnosis.OK("access", "accepted "+how)
	}
	fix := "Search the server's log for the request id."
	switch remote.CodeOf(err) {
	case "unauthenticated":
		fix = "Set FERMATA_KEY (or FERMATA_KEY_FILE) to a key of this server; create one with `fermata keys create`."
	case "forbidden":
		fix = "The key belongs to another workspace: omit --workspace, or use a key of that workspace."
	case "not_found":
		fix = "There is no such workspace: omit --workspace, or create it with POST /v1/workspaces (root key)."
	}
	return diagnosis.Failed("access", err.Error(), fix)
}

// streamWithin is the time limit for the first event.
const streamWithin = 5 * time.Second

// errSeen ends the test of a stream.
var errSeen = errors.New("seen")

func (d *doctor) stream() diagnosis.Finding {
	ctx, cancel := context.WithTimeout(d.cc, streamWithin)
	defer cancel()
	begun := d.cc.Clock()
	f := &remote.Follower{Client: d.Client, Path: "/v1/events", Cursor: remote.NoCursor, Take: func(remote.Event) error { return errSeen }}
	_, err := f.Once(ctx)
	if errors.Is(err, errSeen) {
		return diagnosis.OK("event stream", fmt.Sprintf("the first event arrived after %d ms", d.cc.Clock().Sub(begun).Milliseconds()))
	}
	return diagnosis.Failed(
		"event stream",
		fmt.Sprintf("no event within %s: %v", streamWithin, err),
		"A proxy may be buffering responses: disable buffering and compression for text/event-stream (nginx: proxy_buffering off).",
	)
}

func (d *doctor) invariants() diagnosis.Finding {
	var list api.InvariantList
	if err := d.Call(d.cc, http.MethodGet, "/v1/admin/invariants", nil, &list); err != nil {
		if remote.CodeOf(err) == "forbidden" {
			return diagnosis.Skipped("invariants", "this key lacks the permission (role admin)")
		}
		return diagnosis.Failed("invariants", err.Error(), "Search the server's log for the request id.")
	}
	var broken []string
	for _, i := range list.Data {
		if i.Count != 0 {
			broken = append(broken, fmt.Sprintf("%s: %d", i.Name, i.Count))
		}
	}
	if len(broken) > 0 {
		return diagnosis.Failed("invariants", strings.Join(broken, ", "),
			"The data is inconsistent: keep a copy of the database and the log, and report it.")
	}
	return diagnosis.OK("invariants", fmt.Sprintf("all %d hold", len(list.Data)))
}

// provider calls each configured provider once. One of them should be the default.
func (d *doctor) provider(noCall bool) []diagnosis.Finding {
	var list api.ProviderList
	if err := d.Call(d.cc, http.MethodGet, "/v1/providers?limit=200", nil, &list); err != nil {
		if remote.CodeOf(err) == "forbidden" {
			return []diagnosis.Finding{diagnosis.Skipped("provider", "this key lacks the permission")}
		}
		return []diagnosis.Finding{diagnosis.Failed("provider", err.Error(), "Search the server's log for the request id.")}
	}
	found := []diagnosis.Finding{whoAnswers(list.Data)}
	for _, p := range list.Data {
		if !noCall {
			found = append(found, d.testCall(p))
		}
	}
	return found
}

// whoAnswers reports the default provider, or the demo if there is none.
func whoAnswers(all []api.Provider) diagnosis.Finding {
	for _, p := range all {
		if p.IsDefault {
			return diagnosis.OK("provider", fmt.Sprintf("%s (%s)", p.Name, p.Kind))
		}
	}
	if len(all) > 0 {
		return diagnosis.Warning("provider", "no configured provider is the default; the built-in demo answers",
			"Make one the default: fermata providers default "+all[0].ID)
	}
	return diagnosis.Warning("provider", "none is configured; the built-in demo answers",
		"Configure one: fermata providers add FILE (docs/providers.md).")
}

func (d *doctor) testCall(p api.Provider) diagnosis.Finding {
	check := "test call"
	var test api.ProviderTest
	if err := d.Call(d.cc, http.MethodPost, "/v1/providers/"+p.ID+"/test", nil, &test); err != nil {
		if remote.CodeOf(err) == "forbidden" {
			return diagnosis.Skipped(check, "this key lacks the permission (role admin)")
		}
		return diagnosis.Failed(check, p.Name+": "+err.Error(), "Search the server's log for the request id.")
	}
	if test.Ok {
		return diagnosis.OK(check, fmt.Sprintf("%s: %s answered after %d ms", p.Name, api.Value(test.Model), test.LatencyMs))
	}
	if test.Error == nil {
		return diagnosis.Failed(check, p.Name+": the call failed without a reason", "See the server's log.")
	}
	return diagnosis.Failed(check,
		fmt.Sprintf("%s: %s The provider's message: %s (%s)", p.Name, test.Error.Meaning, test.Error.Message, test.Error.Code),
		fmt.Sprintf("%s Change it: fermata providers change %s FILE", test.Error.Mend, p.ID))
}
