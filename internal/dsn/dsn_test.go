package dsn

import (
	"context"
	"database/sql/driver"
	"errors"
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
