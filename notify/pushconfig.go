package notify

import (
	"net/url"

	"github.com/fermata-dev/fermata/auth"
	"github.com/fermata-dev/fermata/internal/diagnosis"
)

// PushOff explains why this server sends no push notifications; "" if it does.
func PushOff(secretKey bool, publicURL string) string {
	switch {
	case !secretKey:
		return "This server sends no pushes: its operator has set no FERMATA_SECRET_KEY, of which the key is made that signs them."
	case publicURL == "":
		return "This server sends no pushes: its operator has not set FERMATA_PUBLIC_URL, the address that browsers use."
	}
	return ""
}

// DiagnosePush reports the contact address given to push services. Browsers accept push notifications only
// from pages over https, or on their own machine, where no check is needed.
func DiagnosePush(publicURL, contact string) []diagnosis.Finding {
	u, err := url.Parse(publicURL)
	if err != nil || publicURL == "" || auth.LoopbackHost(u.Host) {
		return nil
	}
	if u.Scheme != "https" {
		return []diagnosis.Finding{diagnosis.Warning("push", "browsers accept no push notifications from a page without TLS",
			"Serve the page over TLS, and set FERMATA_PUBLIC_URL to the https address.")}
	}
	return []diagnosis.Finding{diagnosis.OK("push", "browsers can be notified; the contact for push services is "+contact)}
}
