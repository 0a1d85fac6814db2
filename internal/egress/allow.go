package egress

import (
	"fmt"
	"net"
	"net/netip"
	"strings"
)

// AllowedHost is an exception: a host name or an address range, optionally with a port.
type AllowedHost struct {
	Host   string // lower case; empty when Prefix is set
	Prefix netip.Prefix
	Port   string // empty: every port
}

// ParseAllowedHosts parses host, host:port, address, address:port and CIDR; each entry may be a
// comma-separated list.
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

// canonicalHost maps "LocalHost." and "localhost" to one name.
func canonicalHost(host string) string { return strings.ToLower(strings.TrimSuffix(host, ".")) }
