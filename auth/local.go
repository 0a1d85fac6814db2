package auth

import (
	"net"
	"net/http"
	"net/netip"
	"strings"

	"github.com/fermata-dev/fermata/domain"
)

// localRequest guards the open server against web pages. One whose name was made to
// resolve to loopback (DNS rebinding) calls it by that name: the Host header gives it
// away. (Calls across origins under the right name are refused for every server, by
// http.CrossOriginProtection, before they come here.)
func localRequest(r *http.Request) error {
	if !LoopbackHost(r.Host) {
		return domain.Errorf(domain.CodeForbidden, "Without credentials this server answers under loopback names only (localhost, 127.0.0.1, [::1]). Set FERMATA_ROOT_KEY to use another name.")
	}
	if forwarded(r) {
		return domain.Errorf(domain.CodeForbidden, "Without credentials this server does not answer through a proxy, which would let everybody in. Set FERMATA_ROOT_KEY.")
	}
	return nil
}

// forwarded says whether a proxy stands between, as far as it admits it.
func forwarded(r *http.Request) bool {
	for _, name := range []string{"Forwarded", "X-Forwarded-For", "X-Real-Ip", "Via"} {
		if len(r.Header[name]) > 0 {
			return true
		}
	}
	return false
}

// LoopbackHost says whether a host, with or without port, names this machine itself.
func LoopbackHost(host string) bool {
	name := host
	if h, _, err := net.SplitHostPort(host); err == nil {
		name = h
	}
	name = strings.TrimSuffix(strings.TrimPrefix(name, "["), "]")
	if ip, err := netip.ParseAddr(name); err == nil {
		return ip.Unmap().IsLoopback()
	}
	name = strings.ToLower(strings.TrimSuffix(name, "."))
	return name == "localhost" || strings.HasSuffix(name, ".localhost")
}

// LoopbackPeer says whether the request comes from this machine itself: over
// loopback, under a loopback name, and not through a proxy that runs here too.
func LoopbackPeer(r *http.Request) bool {
	addr, err := netip.ParseAddrPort(r.RemoteAddr)
	return err == nil && addr.Addr().Unmap().IsLoopback() && LoopbackHost(r.Host) && !forwarded(r)
}
