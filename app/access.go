package app

import (
	"errors"
	"fmt"
	"net"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/fermata-dev/fermata/auth"
)

// checkAccess rejects invalid addresses, URLs and origins.
func (f *Config) checkAccess() error {
	if err := auth.CheckRootKey(f.RootKey); err != nil {
		return err
	}
	if err := checkAddress(f.Listen); err != nil {
		return fmt.Errorf("FERMATA_LISTEN (--listen): %w", err)
	}
	if f.MetricsListen != "" {
		if err := checkAddress(f.MetricsListen); err != nil {
			return fmt.Errorf("FERMATA_METRICS_LISTEN (--metrics-listen): %w", err)
		}
	}
	if f.PublicURL != "" {
		if u, err := url.Parse(f.PublicURL); err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" ||
			u.User != nil || u.RawQuery != "" || u.Fragment != "" || strings.Contains(u.Path, "//") {
			return errors.New("FERMATA_PUBLIC_URL (--public-url) is not a valid server address: use https://host or https://host/path")
		} else if first, _, _ := strings.Cut(strings.Trim(u.Path, "/"), "/"); slices.Contains(ownPaths, first) {
			return fmt.Errorf("FERMATA_PUBLIC_URL (--public-url) has the path /%s, which the server itself uses: choose another one", first)
		}
	}
	if _, err := auth.ParseOrigins(f.AllowedOrigins...); err != nil {
		return fmt.Errorf("FERMATA_ALLOWED_ORIGINS (--allowed-origins): %w", err)
	}
	return nil
}

// ownPaths are the first segments of the server's own paths. A public path that begins with one could not be
// distinguished from a path whose public prefix a proxy has stripped.
var ownPaths = []string{"v1", "a", "mcp", "assets", "docs", "problems", "metrics", "healthz", "readyz", "version"}

// checkAddress accepts "host:port" and ":port".
func checkAddress(address string) error {
	host, port, err := net.SplitHostPort(address)
	if bare := strings.Trim(address, "[]"); err != nil &&
		(net.ParseIP(bare) != nil || bare == "localhost" || strings.Contains(bare, ".") && hostName(bare)) {
		return fmt.Errorf("%q has no port: use %s", address, net.JoinHostPort(bare, "8080"))
	}
	if err != nil || host != "" && net.ParseIP(host) == nil && (!hostName(host) || endsInNumber(host)) {
		return fmt.Errorf("%q is not an address: use host:port, for example 127.0.0.1:8080", address)
	}
	if _, err := strconv.ParseUint(port, 10, 16); err != nil {
		return fmt.Errorf("%q is not an address: its port is %q, which must be a number up to 65535", address, port)
	}
	return nil
}

// endsInNumber reports whether resolvers treat a name as an IPv4 address: "1.2.3.4.5" is a mistyped
// address, since no host name ends in a number.
func endsInNumber(host string) bool {
	host = strings.TrimSuffix(host, ".")
	last := host[strings.LastIndex(host, ".")+1:]
	return last != "" && strings.Trim(last, "0123456789") == ""
}

func hostName(text string) bool {
	return text != "" && strings.Trim(strings.ToLower(text), "abcdefghijklmnopqrstuvwxyz0123456789-._") == ""
}

// onLoopback reports whether the server can be reached from this machine only.
func (f *Config) onLoopback() bool {
	host, _, err := net.SplitHostPort(f.Listen)
	if err != nil {
		return false
	}
	if host == "localhost" {
		return true
	}
	ip := net.ParseIP(host)
	return ip != nil && ip.IsLoopback()
}

// public reports whether other machines reach the server under its public URL, through a proxy on
// this machine if it listens on loopback.
func (f *Config) public() bool {
	if f.PublicURL == "" {
		return false
	}
	u, err := url.Parse(f.PublicURL)
	return err != nil || !auth.LoopbackHost(u.Host)
}

// plain reports whether credentials seem to cross the network unencrypted: the server does not use
// TLS, and no public URL shows that a proxy does.
func (f *Config) plain() bool {
	return f.TLSCert == "" && !f.onLoopback() && !strings.HasPrefix(strings.ToLower(f.PublicURL), "https://")
}

const plainFix = "Set FERMATA_TLS_CERT and FERMATA_TLS_KEY, or put a proxy with TLS in front, listen on 127.0.0.1, and set FERMATA_PUBLIC_URL to its https:// address."

// warnOfPlain logs a warning if credentials cross the network unencrypted.
func (a *App) warnOfPlain() {
	if a.flags.plain() {
		a.log.Warn().Str("listen", a.flags.Listen).
			Str("fix", plainFix).
			Msg("Keys and conversations cross the network unencrypted and can be read on the way")
	}
}
