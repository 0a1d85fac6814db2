package doctor

import (
	"fmt"
	"net/url"
	"strings"
	"time"

	"github.com/fermata-dev/fermata/api"
	"github.com/fermata-dev/fermata/cli/remote"
	"github.com/fermata-dev/fermata/internal/diagnosis"
)

// connectors checks whether the connectors work, and whether changed commands need a review.
func (d *doctor) connectors() []diagnosis.Finding {
	all, err := remote.List[api.Connector](d.cc, d.Client, "/v1/connectors", url.Values{}, remote.Everything)
	if err != nil {
		if remote.CodeOf(err) == "forbidden" {
			return []diagnosis.Finding{diagnosis.Skipped("connectors", "this key lacks the permission (role admin)")}
		}
		return []diagnosis.Finding{diagnosis.Failed("connectors", err.Error(), "Search the server's log for the request id.")}
	}
	var findings []diagnosis.Finding
	for i := range all {
		if all[i].Enabled {
			findings = append(findings, connectorFindings(&all[i])...)
		}
	}
	switch {
	case len(all) == 0:
		return []diagnosis.Finding{diagnosis.OK("connectors", "none is configured")}
	case len(findings) == 0:
		return []diagnosis.Finding{diagnosis.OK("connectors", fmt.Sprintf("no problems with any of %d", len(all)))}
	}
	return findings
}

func connectorFindings(c *api.Connector) []diagnosis.Finding {
	var findings []diagnosis.Finding
	add := func(detail, fix string) {
		findings = append(findings, diagnosis.Warning("connectors", c.Prefix+": "+api.Visible(detail), fix))
	}
	switch {
	case c.Status == api.ConnectorStatusNeedsSignIn:
		add("a sign-in is required. "+c.StatusDetail,
			"Sign in on its page, or with POST /v1/connectors/"+c.ID+"/sign-in; if it uses a token, enter a new one.")
	case c.Status == api.ConnectorStatusUnreachable && strings.Contains(c.StatusDetail, "FERMATA_ALLOW_STDIO"):
		add(c.StatusDetail, "Set FERMATA_ALLOW_STDIO=true on the server if its connectors may start programs, or disable this one.")
	case c.Status == api.ConnectorStatusUnreachable:
		add("unreachable. "+c.StatusDetail, "Check that its server is running, then: fermata connectors refresh "+c.Prefix)
	}
	if c.PausedUntil != nil {
		add("calls are paused until "+time.Time(*c.PausedUntil).UTC().Format("15:04:05")+" UTC, because the last ones failed",
			"They resume then; fermata connectors test "+c.Prefix+" tries it now.")
	}
	var changed []string
	for i := range c.Commands {
		if c.Commands[i].State == "changed" {
			changed = append(changed, c.Commands[i].Name)
		}
	}
	if len(changed) > 0 {
		add("changed since they were reviewed, and not offered: "+strings.Join(changed, ", "),
			"Review each, then: fermata connectors commands "+c.Prefix+" "+changed[0]+" --state=offered")
	}
	return findings
}
