package auth

import (
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/fermata-dev/fermata/domain"
)

// localRequest guards the open server, which is for programs on this machine and for its
// own page. A page whose name was made to resolve to loopback (DNS rebinding) calls it by
// that name: the Host header gives it away. A proxy in front would let everybody in.
func (a *Authenticator) localRequest(r *http.Request) error {
	if !LoopbackHost(r.Host) {
		return domain.Errorf(
			domain.CodeForbidden,
			"Without credentials this server answers under loopback names only (localhost, 127.0.0.1, [::1]). Set FERMATA_ROOT_KEY to use another name.",
		)
	}
	if !r.ProtoAtLeast(1, 1) || forwarded(r) {
		return domain.Errorf(
			domain.CodeForbidden,
			"Without credentials this server does not answer through a proxy (or HTTP/1.0, as proxies speak it), which would let everybody in. Set FERMATA_ROOT_KEY.",
		)
	}
	if a.foreignPage(r) {
		return domain.Errorf(
			domain.CodeCrossOrigin,
			"Without credentials this server answers no page of another origin. Name the origin in FERMATA_ALLOWED_ORIGINS to let its pages in.",
		)
	}
	return nil
}

// LocalPeer reports whether the request comes from a program on this machine: over loopback, under a loopback name, in
// HTTP/1.1 or newer, without headers of a proxy, and not from a page of another origin. With a public URL, which
// implies a proxy, no caller counts as local.
func (a *Authenticator) LocalPeer(r *http.Request) bool {
	peer, err := netip.ParseAddrPort(r.RemoteAddr)
	return err == nil && !a.config.Public && peer.Addr().Unmap().IsLoopback() && a.localRequest(r) == nil
}

// What proxies, load balancers and tunnels add to a request. Names are compared in lower
// case, with "-" for "_".
var (
	proxyHeaders = []string{
		"forwarded",
		"via",
		"x-real-ip",
		"x-remote-ip",
		"x-remote-addr",
		"x-host",
		"x-proxyuser-ip",
		"x-rewrite-url",
		"cdn-loop",
	}
	proxyPrefixes = []string{
		"x-forwarded",
		"x-original",
		"x-envoy-",
		"x-proxy",
		"x-cluster-",
		"proxy-",
		"cf-",
		"fly-",
		"fastly-",
		"akamai-",
		"x-akamai-",
		"x-amzn-",
		"x-amz-cf-",
		"x-appengine-",
		"x-azure-",
		"x-arr-",
		"x-vercel-",
		"x-nf-",
		"x-sucuri-",
		"cloudfront-",
		"incap-",
		"tailscale-",
		"ngrok-",
		"x-ngrok-",
	}
	proxySuffixes = []string{
		"-client-ip",
		"-client-port",
		"-connecting-ip",
		"-forwarded-for",
		"-forwarded-host",
		"-forwarded-proto",
		"-real-ip",
	}
)

// forwarded reports whether the request has headers of a proxy.
func forwarded(r *http.Request) bool {
	for name := range r.Header {
		if ofProxy(strings.ReplaceAll(strings.ToLower(name), "_", "-")) {
			return true
		}
	}
	return false
}

func ofProxy(name string) bool {
	if slices.Contains(proxyHeaders, name) {
		return true
	}
	for _, prefix := range proxyPrefixes {
		if strings.HasPrefix(name, prefix) {
			return true
		}
	}
	for _, suffix := range proxySuffixes {
		if strings.HasSuffix(name, suffix) {
			return true
		}
	}
	return false
}

// foreignPage reports whether the request comes from a page of another origin, by the headers that browsers send and
// programs do not. A page on another port of this machine is foreign too, unless the browser calls it same-origin:
// then a development proxy has changed the Host.
func (a *Authenticator) foreignPage(r *http.Request) bool {
	origin := r.Header.Get("Origin")
	if origin != "" && a.config.Origins.Allow(origin) {
		return false
	}
	site := r.Header.Get("Sec-Fetch-Site")
	if site != "" && site != "same-origin" && site != "none" {
		return true
	}
	for _, from := range []string{origin, r.Header.Get("Referer")} {
		if from == "" {
			continue
		}
		u, err := url.Parse(from)
		if err != nil || !LoopbackHost(u.Host) || site == "" && !strings.EqualFold(u.Host, r.Host) {
			return true
		}
	}
	return false
}

// LoopbackHost says whether a host, with or without port, names this machine itself. What
// is no host (two of them, a port that is none) does not.
func LoopbackHost(host string) bool {
	name, ok := withoutPort(host)
	if !ok {
		return false
	}
	if ip, err := netip.ParseAddr(name); err == nil {
		return ip.Zone() == "" && ip.Unmap().IsLoopback()
	}
	name = strings.ToLower(strings.TrimSuffix(name, "."))
	return name == "localhost" || strings.HasSuffix(name, ".localhost") && plainName(name)
}

func withoutPort(host string) (name string, ok bool) {
	if strings.HasSuffix(host, "]") {
		host += ":80"
	}
	if _, err := netip.ParseAddr(host); err == nil || !strings.Contains(host, ":") {
		return host, true
	}
	name, port, err := net.SplitHostPort(host)
	if err != nil || strings.Trim(port, "0123456789") != "" {
		return "", false
	}
	if n, err := strconv.ParseUint(port, 10, 16); err != nil || n == 0 {
		return "", false
	}
	return name, !strings.HasPrefix(host, "[") || strings.Contains(name, ":")
}

// plainName: letters, digits, "-" and ".", as names of hosts are made of.
func plainName(name string) bool {
	for i := range len(name) {
		if c := name[i]; (c < 'a' || c > 'z') && (c < '0' || c > '9') && c != '-' && c != '.' {
			return false
		}
	}
	return true
}
