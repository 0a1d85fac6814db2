package dsn

import (
	"context"
	"database/sql/driver"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
)

func TestParse(t *testing.T) {
	for address, host := range map[string]string{
		"postgres://u:p%23w@db.example:5433/fermata?sslmode=disable": "db.example",
		"postgresql:///fermata?host=/var/run/postgresql":             "/var/run/postgresql",
		"host=db.example user=u password='p w' dbname=fermata":       "db.example",
	} {
		cfg, err := Parse(address)
		if err != nil || cfg.Host != host {
			t.Errorf("%s: host %q, %v", address, cfg.Host, err)
		}
	}
	for address, word := range map[string]string{
		"postgres://u:p#w@db.example/fermata":                "%23",
		"postgres://u:p@db.example/fermata?sslmode=whatever": "sslmode",
		"postgres://u:p@db.example:99999/fermata":            "port",
	} {
		if _, err := Parse(address); err == nil || !strings.Contains(err.Error(), word) {
			t.Errorf("%s: %v does not help", address, err)
		}
	}
}

// Managed services show URLs with parameters of libpq.
func TestParametersOfOtherClients(t *testing.T) {
	for _, c := range []struct {
		address, attrs string
		hosts          []string
		refused        string
	}{
		{address: "postgres://u:p@h/d?sslmode=require&channel_binding=require", hosts: []string{"h:5432"}},
		{address: "postgresql://u:p@h/d?gssencmode=prefer&keepalives_idle=30&application_name=x", hosts: []string{"h:5432"}},
		{address: "host=h dbname=d channel_binding=prefer", hosts: []string{"h:5432"}},
		{address: "postgres://u:p@h/d?target_session_attrs=read-write", attrs: "primary", hosts: []string{"h:5432"}},
		{address: "postgres://u:p@h/d?target_session_attrs=any", attrs: "any", hosts: []string{"h:5432"}},
		{address: "postgres://u:p@h1:5433,h2:5434/d?sslmode=disable", hosts: []string{"h1:5433", "h2:5434"}},
		{address: "postgres://u:p@h1:5433,h2/d", hosts: []string{"h1:5433", "h2:5432"}},
		{address: "postgres://h1,h2", hosts: []string{"h1:5432", "h2:5432"}},
		{address: "postgres://u:p@[::1]:5433,[::2]:5434/d", hosts: []string{"::1:5433", "::2:5434"}},
		{address: "postgres://u:p@h/d?require_auth=scram-sha-256", refused: "require_auth"},
		{address: "postgres://u:p@h/d?sslcrl=x", refused: "sslcrl"},
		{address: "host=h dbname=d replication=database", refused: "replication"},
	} {
		cfg, err := Parse(c.address)
		if c.refused != "" {
			if err == nil || !strings.Contains(err.Error(), c.refused) {
				t.Errorf("%s: %v", c.address, err)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", c.address, err)
			continue
		}
		hosts := []string{fmt.Sprintf("%s:%d", cfg.Host, cfg.Port)}
		for _, m := range cfg.Multi {
			hosts = append(hosts, fmt.Sprintf("%s:%d", m.Host, m.Port))
		}
		if !slices.Equal(hosts, c.hosts) || string(cfg.TargetSessionAttrs) != c.attrs {
			t.Errorf("%s: hosts %v, target_session_attrs %q", c.address, hosts, cfg.TargetSessionAttrs)
		}
		for name := range cfg.Runtime {
			if _, ours := unknownToDriver[name]; ours {
				t.Errorf("%s: %s is sent to the server", c.address, name)
			}
		}
	}
}

var errAway = errors.New("away")

type refusing struct{ says string }

func (r refusing) Connect(context.Context) (driver.Conn, error) {
	return nil, errors.Join(errors.New(r.says), errAway)
}

func (refusing) Driver() driver.Driver { return nil }

// What kind of error it is stays known.
func TestConnectionErrorsDoNotHoldThePassword(t *testing.T) {
	_, err := Discreet(refusing{"lookup s3cret.example: no such host"}, "s3cret").Connect(t.Context())
	if !errors.Is(err, errAway) || err.Error() != "lookup [password].example: no such host\naway" {
		t.Errorf("%v", err)
	}
	_, err = Discreet(refusing{"refused"}, "").Connect(t.Context())
	if !errors.Is(err, errAway) || err.Error() != "refused\naway" {
		t.Errorf("%v", err)
	}
}
