package egress

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
)

// ErrNotNamed is returned for a host that the workspace's setting allowed_hosts does not include.
var ErrNotNamed = errors.New("host not named in the workspace's allowed_hosts")

// AnyHost is the entry for all public hosts.
const AnyHost = "*"

// Hosts are the hosts that a workspace's requests may reach (its setting allowed_hosts). They do not open
// anything that Policy closes.
type Hosts struct {
	any  bool
	list []AllowedHost
}

// ParseHosts parses entries: AnyHost, or the forms of ParseAllowedHosts, one per entry.
func ParseHosts(entries []string) (Hosts, error) {
	var h Hosts
	for _, entry := range entries {
		if entry == AnyHost {
			h.any = true
			continue
		}
		a, err := parseAllowedHost(entry)
		if err != nil {
			return Hosts{}, err
		}
		h.list = append(h.list, a)
	}
	return h, nil
}

// names reports whether a request to a URL is allowed. An address range applies to URLs with a literal
// address: the address of a name is chosen by its owner.
func (h Hosts) names(u *url.URL) bool {
	if h.any {
		return true
	}
	port := u.Port()
	if port == "" {
		port = map[string]string{"https": "443", "http": "80"}[u.Scheme]
	}
	ip, err := netip.ParseAddr(u.Hostname())
	ip = ip.Unmap().WithZone("")
	return slices.ContainsFunc(h.list, func(a AllowedHost) bool {
		if a.Port != "" && a.Port != port {
			return false
		}
		if a.Host != "" {
			return a.Host == canonicalHost(u.Hostname())
		}
		return err == nil && a.Prefix.Contains(ip)
	})
}

type workspaceKey struct{}

// For attributes the requests made with a context to a workspace.
func For(ctx context.Context, workspace string) context.Context {
	return context.WithValue(ctx, workspaceKey{}, workspace)
}

// Of returns a client that attributes every request to a workspace, whatever its context.
func Of(client *http.Client, workspace string) *http.Client {
	return Wrap(client, func(next http.RoundTripper) http.RoundTripper { return inNameOf{next, workspace} })
}

type inNameOf struct {
	http.RoundTripper

	workspace string
}

// RoundTrip sends one request for the workspace.
func (t inNameOf) RoundTrip(request *http.Request) (*http.Response, error) {
	return t.RoundTripper.RoundTrip(request.WithContext(For(request.Context(), t.workspace)))
}

// named rejects a request to a host that its workspace does not allow.
func (t *transport) named(request *http.Request) error {
	workspace, _ := request.Context().Value(workspaceKey{}).(string)
	if workspace == "" || t.config.Hosts == nil {
		return nil
	}
	hosts, err := t.config.Hosts(request.Context(), workspace)
	if err != nil {
		return fmt.Errorf("read the allowed hosts of the workspace: %w", err)
	}
	if !hosts.names(request.URL) {
		return fmt.Errorf("%s: %w", request.URL.Hostname(), ErrNotNamed)
	}
	return nil
}
