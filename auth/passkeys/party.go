package passkeys

import (
	"net"
	"net/url"
	"strings"

	"github.com/go-webauthn/webauthn/protocol"
	"github.com/go-webauthn/webauthn/webauthn"

	"github.com/fermata-dev/fermata/domain"
)

// party is this server as browsers know it: passkeys are bound to the name of its host, and what
// they sign to the page's whole origin.
type party struct {
	lib    *webauthn.WebAuthn
	origin string
}

// partyAt is the party of a server that is reached at an address. One on this machine is known as
// localhost: an address of digits is no name.
func partyAt(address string) (*party, error) {
	off := func(why string) error {
		return domain.Errorf(domain.CodePasskeysOff,
			"%s Nothing was changed; the operator sets FERMATA_PUBLIC_URL to an https address with a name.", why)
	}
	u, err := url.Parse(address)
	if err != nil || u.Hostname() == "" {
		return nil, off("This server has no address that passkeys could be bound to.")
	}
	host := strings.ToLower(u.Hostname())
	ip := net.ParseIP(host)
	switch {
	case ip != nil && (ip.IsLoopback() || ip.IsUnspecified()):
		host = "localhost"
	case ip != nil:
		return nil, off("Passkeys are bound to a name, and this server is reached at " + host + ".")
	}
	if u.Scheme != "https" && host != "localhost" {
		return nil, off("Browsers have passkeys on https pages only, and this server is reached at " + u.Scheme + "://" + host + ".")
	}
	origin := u.Scheme + "://" + host
	if port := u.Port(); port != "" {
		origin += ":" + port
	}
	lib, err := webauthn.New(&webauthn.Config{
		RPID: host, RPDisplayName: "Fermata", RPOrigins: []string{origin},
		AttestationPreference: protocol.PreferNoAttestation,
		// Who holds the device is not enough: it asks for a finger, a face or a PIN.
		AuthenticatorSelection: protocol.AuthenticatorSelection{UserVerification: protocol.VerificationRequired},
		// What browsers' extensions add to an answer is not read.
		ExtensionsUnsolicitedOutputPolicy: protocol.UnsolicitedOutputPolicyIgnore,
	})
	if err != nil {
		return nil, off("This server's address cannot be one of passkeys.")
	}
	return &party{lib, origin}, nil
}
