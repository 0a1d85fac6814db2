package cli

import (
	"fmt"
	"net/url"
	"strings"
	"time"

	"github.com/fermata-dev/fermata/api"
	"github.com/fermata-dev/fermata/internal/diagnosis"
)

// connectors looks whether the servers outside can be used, and whether somebody has to look
// at what they offer.
func (d *doctor) connectors() []diagnosis.Finding {
	all, err := list[api.Connector](d.cc, d.client, "/v1/connectors", url.Values{}, everything)
	if err != nil {
		if codeOf(err) == "forbidden" {
			return []diagnosis.Finding{diagnosis.Skipped("connectors", "this key may not look (role admin)")}
		}
		return []diagnosis.Finding{diagnosis.Failed("connectors", err.Error(), "Look at the server's log under the request id.")}
	}
	var findings []diagnosis.Finding
	for i := range all {
		if all[i].Enabled {
			findings = append(findings, connectorFindings(&all[i])...)
		}
	}
	switch {
	case len(all) == 0:
		return []diagnosis.Finding{diagnosis.OK("connectors", "none is set up")}
	case len(findings) == 0:
		return []diagnosis.Finding{diagnosis.OK("connectors", fmt.Sprintf("nothing is wrong with any of %d", len(all)))}
	}
	return findings
}

func connectorFindings(c *api.Connector) []diagnosis.Finding {
	var findings []diagnosis.Finding
	add := func(detail, mend string) {
		findings = append(findings, diagnosis.Warning("connectors", c.Prefix+": "+api.Visible(detail), mend))
	}
	switch {
	case c.Status == api.ConnectorStatusNeedsSignIn:
		add("somebody has to sign in. "+c.StatusDetail,
			"Sign in on its page, or with POST /v1/connectors/"+c.ID+"/sign-in; of one with a token, enter a new one.")
	case c.Status == api.ConnectorStatusUnreachable && strings.Contains(c.StatusDetail, "FERMATA_ALLOW_STDIO"):
		add(c.StatusDetail, "Set FERMATA_ALLOW_STDIO=true on the server if its connectors may start programs, or disable this one.")
	case c.Status == api.ConnectorStatusUnreachable:
		add("unreachable. "+c.StatusDetail, "Look whether that server runs, then: fermata connectors refresh "+c.Prefix)
	}
	if c.PausedUntil != nil {
		add("no calls are made until "+time.Time(*c.PausedUntil).UTC().Format("15:04:05")+" UTC, because the last ones failed",
			"It tries again by itself then; fermata connectors test "+c.Prefix+" tries it now.")
	}
	var changed []string
	for i := range c.Commands {
		if c.Commands[i].State == "changed" {
			changed = append(changed, c.Commands[i].Name)
		}
	}
	if len(changed) > 0 {
		add("described differently since somebody looked, and not offered: "+strings.Join(changed, ", "),
			"Look at each, then: fermata connectors commands "+c.Prefix+" "+changed[0]+" --state=offered")
	}
	return findings
}
