package doctor

import (
	"fmt"
	"net/url"
	"strings"

	"github.com/fermata-dev/fermata/api"
	"github.com/fermata-dev/fermata/cli/command"
	"github.com/fermata-dev/fermata/cli/remote"
	"github.com/fermata-dev/fermata/internal/diagnosis"
)

// webhooks checks whether deliveries succeed.
func (d *doctor) webhooks() diagnosis.Finding {
	all, err := remote.List[api.Webhook](d.cc, d.Client, "/v1/webhooks", url.Values{}, remote.Everything)
	if err != nil {
		if remote.CodeOf(err) == "forbidden" {
			return diagnosis.Skipped("webhooks", "this key lacks the permission (role admin)")
		}
		return diagnosis.Failed("webhooks", err.Error(), "Search the server's log for the request id.")
	}
	var failing []string
	for i := range all {
		if h := &all[i]; h.DisabledReason != nil || h.Enabled && h.FailingSince != nil {
			failing = append(failing, h.ID+" is "+command.WebhookState(h))
		}
	}
	if len(failing) > 0 {
		return diagnosis.Warning("webhooks", strings.Join(failing, ", "),
			"Find the reason: fermata webhooks deliveries ID. Fix the receiver, enable the webhook again, and send what was missed: fermata webhooks replay.")
	}
	if len(all) == 0 {
		return diagnosis.OK("webhooks", "none is configured")
	}
	return diagnosis.OK("webhooks", fmt.Sprintf("none of %d is failing", len(all)))
}
