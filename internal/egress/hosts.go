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

// ErrNotNamed is returned for a host that the workspace does not let its requests go to.
var ErrNotNamed = errors.New("host not named in the workspace's allowed_hosts")

// AnyHost is the entry that names every public host.
const AnyHost = "*"

// Hosts are those to which a workspace lets its requests go (its setting allowed_hosts). They
// open nothing that Policy keeps closed.
type Hosts struct {
	any  bool
	list []AllowedHost
}

// ParseHosts reads entries: AnyHost, or what ParseAllowedHosts reads, one for each.
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

// names says whether a request may go to a URL. A range of addresses is for URLs with an
// address in them: what a name leads to, its owner decides.
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

// For says in whose name requests are made with a context.
func For(ctx context.Context, workspace string) context.Context {
	return context.WithValue(ctx, workspaceKey{}, workspace)
}

// Of is a client that makes every request in a workspace's name, whatever its context.
func Of(client *http.Client, workspace string) *http.Client {
	return Wrap(client, func(next http.RoundTripper) http.RoundTripper { return inNameOf{next, workspace} })
}

type inNameOf struct {
	http.RoundTripper

	workspace string
}

// RoundTrip sends one request in the workspace's name.
func (t inNameOf) RoundTrip(request *http.Request) (*http.Response, error) {
	return t.RoundTripper.RoundTrip(request.WithContext(For(request.Context(), t.workspace)))
}

// named refuses a request to a host that the workspace in whose name it is made did not name.
func (t *transport) named(request *http.Request) error {
	workspace, _ := request.Context().Value(workspaceKey{}).(string)
	if workspace == "" || t.config.Hosts == nil {
		return nil
	}
	hosts, err := t.config.Hosts(request.Context(), workspace)
	if err != nil {
		return fmt.Errorf("look up where requests of the workspace may go: %w", err)
	}
	if !hosts.names(request.URL) {
		return fmt.Errorf("%s: %w", request.URL.Hostname(), ErrNotNamed)
	}
	return nil
}
