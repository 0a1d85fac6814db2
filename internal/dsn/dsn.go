// Package dsn parses PostgreSQL URLs and keeps their passwords out of errors.
package dsn

import (
	"context"
	"database/sql/driver"
	"fmt"
	"maps"
	"net"
	"net/url"
	"slices"
	"strings"

	"github.com/lib/pq"
)

// Parse parses a PostgreSQL URL. Its errors contain no part of the URL: the usual mistake is a password
// with unescaped special characters, and then any part may belong to the password.
func Parse(dsn string) (pq.Config, error) {
	if strings.HasPrefix(dsn, "postgres://") || strings.HasPrefix(dsn, "postgresql://") {
		dsn = severalHosts(dsn)
		u, err := url.Parse(dsn)
		if err != nil || cutShort(u) {
			return pq.Config{}, errUnreadable("")
		}
	}
	cfg, err := pq.NewConfig(dsn)
	if err != nil {
		return pq.Config{}, errUnreadable(settingIn(err))
	}
	return forDriver(cfg)
}

// severalHosts moves "h1:p1,h2:p2" from the authority of a URL to its parameters, where the driver
// associates each port with its host.
func severalHosts(dsn string) string {
	scheme, rest, _ := strings.Cut(dsn, "://")
	end := strings.IndexAny(rest, "/?#")
	if end < 0 {
		end = len(rest)
	}
	authority, rest := rest[:end], rest[end:]
	at := strings.LastIndex(authority, "@") + 1
	user, all := authority[:at], authority[at:]
	if !strings.Contains(all, ",") {
		return dsn
	}
	var hosts, ports []string
	for one := range strings.SplitSeq(all, ",") {
		host, port, err := net.SplitHostPort(one)
		if err != nil {
			host, port = strings.Trim(one, "[]"), "5432"
		}
		hosts, ports = append(hosts, host), append(ports, port)
	}
	path, query, _ := strings.Cut(rest, "?")
	if query != "" {
		query = "&" + query
	}
	return scheme + "://" + user + path + "?host=" + url.QueryEscape(strings.Join(hosts, ",")) +
		"&port=" + url.QueryEscape(strings.Join(ports, ",")) + query
}

// unknownToDriver are libpq parameters that the driver would send to the server as settings, which the
// server rejects. true: the parameter can be dropped without loss of security, because sslmode alone
// determines the encryption. The others are rejected by name.
var unknownToDriver = map[string]bool{
	"channel_binding": true, "gssencmode": true, "gssdelegation": true, "keepalives": true, "keepalives_idle": true,
	"keepalives_interval": true, "keepalives_count": true, "tcp_user_timeout": true, "sslcompression": true,
	"sslcertmode": false, "sslpassword": false, "sslcrl": false, "sslcrldir": false, "sslkeylogfile": false,
	"requirepeer": false, "require_auth": false, "requiressl": false,
	"gsslib": false, "replication": false, "scram_client_key": false, "scram_server_key": false,
	"oauth_issuer": false, "oauth_client_id": false, "oauth_client_secret": false, "oauth_scope": false, "servicefile": false,
}

// forDriver removes parameters that the driver does not support.
func forDriver(cfg pq.Config) (pq.Config, error) {
	if cfg.TargetSessionAttrs == pq.TargetSessionAttrsReadWrite {
		// Read-only connections use a setting of their own, which the driver would mistake for a
		// server that cannot be written to.
		cfg.TargetSessionAttrs = pq.TargetSessionAttrsPrimary
	}
	for _, name := range slices.Sorted(maps.Keys(cfg.Runtime)) {
		harmless, unknown := unknownToDriver[name]
		if unknown && !harmless {
			return pq.Config{}, fmt.Errorf("read the database URL: the parameter %s is not supported; remove it", name)
		}
		if unknown {
			delete(cfg.Runtime, name)
		}
	}
	return cfg, nil
}

// cutShort reports whether a URL was cut at a "#", "/" or "?" in its password.
func cutShort(u *url.URL) bool {
	if u.Fragment != "" || strings.ContainsAny(strings.TrimPrefix(u.Path, "/"), "/@") {
		return true
	}
	for part := range strings.SplitSeq(u.RawQuery, "&") {
		if name, _, _ := strings.Cut(part, "="); strings.ContainsAny(name, "/@") {
			return true
		}
	}
	return false
}

// settings are the parameters that the driver's errors quote. An error for one of them omits the value,
// which may belong to another parameter.
var settings = []string{
	"sslmode", "sslrootcert", "sslcert", "sslkey", "port", "connect_timeout", "client_encoding", "datestyle", "target_session_attrs",
	"load_balance_hosts", "service", "passfile",
}

func settingIn(err error) string {
	for _, name := range settings {
		if strings.Contains(err.Error(), name) {
			return name
		}
	}
	return ""
}

func errUnreadable(setting string) error {
	if setting != "" {
		return fmt.Errorf("read the database URL: the value of %s cannot be used", setting)
	}
	return fmt.Errorf("read the database URL: it does not have the form postgres://user:password@host:5432/name?sslmode=verify-full; " +
		"in the password, write special characters as %%23 (#), %%2F (/), %%3A (:), %%3F (?), %%40 (@), %%25 (%%)")
}

// Discreet wraps a connector and removes the password from its errors.
func Discreet(connector driver.Connector, password string) driver.Connector {
	return discreet{connector, password}
}

type discreet struct {
	driver.Connector
	password string
}

// Connect connects, and removes the password from errors.
func (d discreet) Connect(ctx context.Context) (driver.Conn, error) {
	c, err := d.Connector.Connect(ctx)
	if err != nil && len(d.password) >= 3 && strings.Contains(err.Error(), d.password) {
		return nil, &redactedError{text: strings.ReplaceAll(err.Error(), d.password, "[password]"), err: err}
	}
	return c, err
}

// redactedError is an error without the password.
type redactedError struct {
	text string
	err  error
}

func (e *redactedError) Error() string { return e.text }

func (e *redactedError) Unwrap() error { return e.err }
