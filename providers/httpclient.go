package providers

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"slices"
	"strings"
	"syscall"
	"time"
)

// OutboundPolicy says where requests may go beyond the public internet.
type OutboundPolicy struct {
	// Allowed are the operator's exceptions (FERMATA_ALLOWED_HOSTS).
	Allowed []AllowedHost
	// AllowPrivate opens loopback and private networks: for a server that itself
	// listens on loopback only, without credentials.
	AllowPrivate bool
}

// AllowedHost is one exception: a name or a range of addresses, and perhaps a port.
type AllowedHost struct {
	Host   string // lower case; empty when Prefix is set
	Prefix netip.Prefix
	Port   string // empty: every port
}

var (
	// ErrForbiddenAddress is returned when a name leads to an address that requests
	// must not reach.
	ErrForbiddenAddress = errors.New("address not allowed (FERMATA_ALLOWED_HOSTS can allow it)")
	// ErrTooManyRedirects ends a chain of redirects.
	ErrTooManyRedirects = errors.New("too many redirects")
)

const (
	maxRedirects   = 3
	connectTimeout = 10 * time.Second
)

// ParseAllowedHosts reads host, host:port, address, address:port and CIDR; an entry
// may itself be a comma-separated list.
func ParseAllowedHosts(entries ...string) ([]AllowedHost, error) {
	var out []AllowedHost
	for entry := range strings.SplitSeq(strings.Join(entries, ","), ",") {
		if entry = strings.TrimSpace(entry); entry == "" {
			continue
		}
		a, err := parseAllowedHost(entry)
		if err != nil {
			return nil, err
		}
		out = append(out, a)
	}
	return out, nil
}

func parseAllowedHost(entry string) (AllowedHost, error) {
	if strings.Contains(entry, "/") {
		p, err := netip.ParsePrefix(entry)
		if err != nil {
			return AllowedHost{}, fmt.Errorf("allowed host %q: neither host[:port] nor CIDR", entry)
		}
		return AllowedHost{Prefix: unmapPrefix(p)}, nil
	}
	host, port := entry, ""
	if h, p, err := net.SplitHostPort(entry); err == nil {
		host, port = h, p
	}
	host = strings.Trim(host, "[]")
	if ip, err := netip.ParseAddr(host); err == nil {
		ip = ip.Unmap().WithZone("")
		return AllowedHost{Prefix: netip.PrefixFrom(ip, ip.BitLen()), Port: port}, nil
	}
	if host == "" || strings.ContainsAny(host, ": \t@?#*") {
		return AllowedHost{}, fmt.Errorf("allowed host %q: neither host[:port] nor CIDR", entry)
	}
	return AllowedHost{Host: canonicalHost(host), Port: port}, nil
}

func unmapPrefix(p netip.Prefix) netip.Prefix {
	if p.Addr().Is4In6() && p.Bits() >= 96 {
		return netip.PrefixFrom(p.Addr().Unmap(), p.Bits()-96).Masked()
	}
	return p.Masked()
}

// canonicalHost makes "LocalHost." and "localhost" one name.
func canonicalHost(host string) string { return strings.ToLower(strings.TrimSuffix(host, ".")) }

// NewClient makes the client for every request out. Addresses are checked when a
// connection is made, after the name was resolved, so that neither a redirect nor a
// name that changes its address gets around the check. No proxy from the environment
// is used: it would make the connection in our place, unchecked.
func NewClient(policy OutboundPolicy) *http.Client {
	checked := &net.Dialer{Timeout: connectTimeout, KeepAlive: 30 * time.Second, ControlContext: policy.control}
	named := &net.Dialer{Timeout: connectTimeout, KeepAlive: 30 * time.Second}
	return &http.Client{
		Transport: &http.Transport{
			Proxy: nil,
			DialContext: func(ctx context.Context, network, address string) (net.Conn, error) {
				if policy.allowsName(address) {
					return named.DialContext(ctx, network, address)
				}
				return checked.DialContext(ctx, network, address)
			},
			ForceAttemptHTTP2:   true,
			TLSHandshakeTimeout: connectTimeout,
			// Hundreds of sessions may call one model at once; two kept connections
			// for each host (the default) would mean a handshake for almost each call.
			MaxIdleConns:           1024,
			MaxIdleConnsPerHost:    256,
			IdleConnTimeout:        90 * time.Second,
			MaxResponseHeaderBytes: 64 << 10,
			// A request with its commands is some 15 KiB: it leaves in one piece, without a
			// buffer made for the rest of it.
			WriteBufferSize: 16 << 10,
			// Streams must not be held back by a decompressor, nor an answer's size
			// grow behind our limits.
			DisableCompression: true,
		},
		CheckRedirect: checkRedirect,
	}
}

func checkRedirect(request *http.Request, via []*http.Request) error {
	if len(via) > maxRedirects {
		return ErrTooManyRedirects
	}
	if via[len(via)-1].URL.Scheme == "https" && request.URL.Scheme != "https" {
		return fmt.Errorf("redirect from https to %s: %w", request.URL.Scheme, ErrForbiddenAddress)
	}
	return nil
}

// allowsName says whether the operator allowed this host by its name.
func (p OutboundPolicy) allowsName(address string) bool {
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

func (p OutboundPolicy) control(_ context.Context, network, address string, _ syscall.RawConn) error {
	to, err := netip.ParseAddrPort(address)
	if err != nil || !strings.HasPrefix(network, "tcp") {
		return fmt.Errorf("%s %s: %w", network, address, ErrForbiddenAddress)
	}
	if !p.Allows(to) {
		return fmt.Errorf("%s: %w", to, ErrForbiddenAddress)
	}
	return nil
}

// Allows says whether requests may go to this address and port.
func (p OutboundPolicy) Allows(to netip.AddrPort) bool {
	ip := to.Addr().Unmap().WithZone("")
	for _, a := range p.Allowed {
		if a.Host == "" && a.Prefix.Contains(ip) && (a.Port == "" || a.Port == fmt.Sprint(to.Port())) {
			return true
		}
	}
	if isMetadata(ip) {
		return false
	}
	if ip.IsLoopback() || ip.IsPrivate() {
		return p.AllowPrivate
	}
	if !ip.IsGlobalUnicast() { // unspecified, link-local, multicast, broadcast
		return false
	}
	for _, prefix := range special {
		if prefix.Contains(ip) {
			return false
		}
	}
	return true
}

// Addresses where clouds hand out credentials. Some lie in private ranges: they stay
// closed there too, unless allowed by name.
var metadata = []netip.Addr{
	netip.MustParseAddr("169.254.169.254"), netip.MustParseAddr("169.254.170.2"),
	netip.MustParseAddr("100.100.100.200"), netip.MustParseAddr("168.63.129.16"),
	netip.MustParseAddr("192.0.0.192"), netip.MustParseAddr("fd00:ec2::254"),
	netip.MustParseAddr("fd20:ce::254"),
}

func isMetadata(ip netip.Addr) bool {
	return slices.Contains(metadata, ip)
}

// Ranges that the standard library's predicates call global though no public server
// is there, or which hide another address inside (NAT64, 6to4, Teredo).
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
