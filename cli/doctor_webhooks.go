package cli

import (
	"fmt"
	"strings"

	"github.com/fermata-dev/fermata/internal/diagnosis"
)

// webhooks checks whether deliveries succeed.
func (d *doctor) webhooks() diagnosis.Finding {
	all, err := d.client.webhooks(d.cc)
	if err != nil {
		if codeOf(err) == "forbidden" {
			return diagnosis.Skipped("webhooks", "this key lacks the permission (role admin)")
		}
		return diagnosis.Failed("webhooks", err.Error(), "Search the server's log for the request id.")
	}
	var failing []string
	for i := range all {
		if h := &all[i]; h.DisabledReason != nil || h.Enabled && h.FailingSince != nil {
			failing = append(failing, h.ID+" is "+webhookState(h))
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
