package egress

import (
	"context"
	"fmt"
	"net"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"syscall"
)

// Policy defines which hosts besides the public internet requests may reach.
type Policy struct {
	// Allowed are the operator's exceptions (FERMATA_ALLOWED_HOSTS).
	Allowed []AllowedHost
	// Private reports whether loopback and private networks are open, as they are while the server itself
	// listens on loopback without credentials. It is called for each request; nil: never.
	Private func(context.Context) bool
}

// Open is a Private that always returns true.
func Open(context.Context) bool { return true }

// allowsName reports whether the operator allowed this host by its name.
func (p Policy) allowsName(address string) bool {
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		return false
	}
	for _, a := range p.Allowed {
		if a.Host != "" && a.Host == canonicalHost(host) && (a.Port == "" || a.Port == port) {
			return true
		}
	}
	return false
}

// AllowsPlain reports whether requests to a URL may go without TLS: to hosts that the operator allowed,
// and to any host while private networks are open. The address is checked separately, when the connection
// is established.
func (p Policy) AllowsPlain(ctx context.Context, u *url.URL) bool {
	if p.Private != nil && p.Private(ctx) {
		return true
	}
	port := u.Port()
	if port == "" {
		port = "80"
	}
	if p.allowsName(net.JoinHostPort(u.Hostname(), port)) {
		return true
	}
	ip, err := netip.ParseAddr(u.Hostname())
	if err != nil {
		return false
	}
	ip = ip.Unmap().WithZone("")
	return slices.ContainsFunc(p.Allowed, func(a AllowedHost) bool {
		return a.Host == "" && a.Prefix.Contains(ip) && (a.Port == "" || a.Port == port)
	})
}

// control checks the address of a connection before it is established.
func (p Policy) control(private bool) func(context.Context, string, string, syscall.RawConn) error {
	return func(_ context.Context, network, address string, _ syscall.RawConn) error {
		to, err := netip.ParseAddrPort(address)
		if err != nil || !strings.HasPrefix(network, "tcp") {
			return fmt.Errorf("%s %s: %w", network, address, ErrForbidden)
		}
		if !p.allows(to, private) {
			return fmt.Errorf("%s: %w", to, ErrForbidden)
		}
		return nil
	}
}

// allows reports whether requests may go to this address and port.
func (p Policy) allows(to netip.AddrPort, private bool) bool {
	ip := to.Addr().Unmap().WithZone("")
	for _, a := range p.Allowed {
		if a.Host == "" && a.Prefix.Contains(ip) && (a.Port == "" || a.Port == fmt.Sprint(to.Port())) {
			return true
		}
	}
	if isMetadata(ip) || slices.Contains(otherProtocols, to.Port()) {
		return false
	}
	if ip.IsLoopback() || ip.IsPrivate() {
		return private
	}
	if !ip.IsGlobalUnicast() { // unspecified, link-local, multicast, broadcast
		return false
	}
	return !slices.ContainsFunc(special, func(s netip.Prefix) bool { return s.Contains(ip) })
}

// otherProtocols are the ports of line-based protocols, which would interpret an HTTP request: mail, remote
// shells, file transfer, Redis, memcached. Browsers block most of them too.
var otherProtocols = []uint16{
	20,
	21,
	22,
	23,
	25,
	37,
	42,
	43,
	53,
	69,
	77,
	79,
	87,
	95,
	101,
	102,
	103,
	104,
	109,
	110,
	111,
	113,
	115,
	117,
	119,
	123,
	135,
	137,
	139,
	143,
	161,
	179,
	389,
	427,
	465,
	512,
	513,
	514,
	515,
	526,
	530,
	531,
	532,
	540,
	548,
	554,
	556,
	563,
	587,
	601,
	636,
	989,
	990,
	993,
	995,
	1719,
	1720,
	1723,
	2049,
	3659,
	4045,
	4190,
	5060,
	5061,
	6000,
	6379,
	6566,
	6665,
	6666,
	6667,
	6668,
	6669,
	6679,
	6697,
	10080,
	11211,
}

// metadata are the addresses at which clouds hand out credentials. Those in private ranges stay closed even
// if those are open, unless allowed by name.
var metadata = []netip.Addr{
	netip.MustParseAddr("169.254.169.254"), netip.MustParseAddr("169.254.170.2"),
	netip.MustParseAddr("100.100.100.200"), netip.MustParseAddr("168.63.129.16"),
	netip.MustParseAddr("192.0.0.192"), netip.MustParseAddr("fd00:ec2::254"),
	netip.MustParseAddr("fd20:ce::254"),
}

func isMetadata(ip netip.Addr) bool {
	return slices.Contains(metadata, ip)
}

// special are ranges that the standard library treats as global although no public servers are in them, or
// that embed another address (NAT64, 6to4, Teredo).
var special = prefixes(
	"0.0.0.0/8", "100.64.0.0/10", "192.0.0.0/24", "192.0.2.0/24", "192.88.99.0/24",
	"198.18.0.0/15", "198.51.100.0/24", "203.0.113.0/24", "240.0.0.0/4",
	"::/96", "::ffff:0:0:0/96", "64:ff9b::/96", "64:ff9b:1::/48", "100::/64", "2001::/23",
	"2001:db8::/32", "2002::/16", "3fff::/20", "5f00::/16", "fec0::/10",
)

func prefixes(texts ...string) []netip.Prefix {
	out := make([]netip.Prefix, len(texts))
	for i, t := range texts {
		out[i] = netip.MustParsePrefix(t)
	}
	return out
}
