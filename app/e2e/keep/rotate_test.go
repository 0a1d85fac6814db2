package keep

import (
	"bytes"
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/fermata-dev/fermata/app"
	"github.com/fermata-dev/fermata/app/e2e/harness"
	"github.com/fermata-dev/fermata/operate"
)

// oldKey sealed the golden database; it is the harness's own.
const oldKey = "MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY="

// TestTheSecretKeyIsRotated: everything is re-encrypted, in steps that survive a kill; the old key then decrypts
// nothing, and a server with only the new one starts and calls.
func TestTheSecretKeyIsRotated(t *testing.T) {
	newKey := harness.EncodedKeys("n")
	for _, ending := range []string{".db.gz", ".sql.gz"} {
		for path := range golden(t, ending) {
			db := installed(t, path)
			rotate := func(keys string, around func(func() error) error) (done struct {
				Resealed, Already int
				Unreadable        []string
			}, err error) {
				var out bytes.Buffer
				config := app.Config{Database: db, SecretKey: keys, Listen: "127.0.0.1:0"}
				config.TestHooks.AroundCommit = around
				err = (&app.Rotate{Config: config, Printed: operate.Printed{Output: "json"}}).Run(t.Context(), &out)
				if out.Len() > 0 {
					if err := json.Unmarshal(out.Bytes(), &done); err != nil {
						t.Fatal(err)
					}
				}
				return done, err
			}
			if done, err := rotate(newKey, nil); err == nil || done.Resealed != 0 || len(done.Unreadable) < 5 {
				t.Errorf("%s: without the old key: %+v, %v", path, done, err)
			}
			commits := 0
			_, err := rotate(newKey+","+oldKey, func(commit func() error) error {
				if commits++; commits > 2 {
					return context.Canceled // from here on nothing is stored, as after a kill
				}
				return commit()
			})
			if err == nil {
				t.Error("a rotation that was cut short says it is done")
			}
			done, err := rotate(newKey+","+oldKey, nil)
			if err != nil || done.Resealed < 3 || done.Already != 2 || len(done.Unreadable) > 0 {
				t.Errorf("%s: after it was cut short: %+v, %v", path, done, err)
			}
			if again, err := rotate(newKey, nil); err != nil || again.Resealed != 0 || again.Already != done.Resealed+2 {
				t.Errorf("%s: the second time: %+v, %v", path, again, err)
			}
			_, err = app.New(t.Context(), app.Config{Database: db, SecretKey: oldKey, Listen: "127.0.0.1:0"})
			if err == nil || !strings.Contains(err.Error(), "FERMATA_SECRET_KEY is not the key that encrypted") {
				t.Errorf("%s: a server with the old key says %v", path, err)
			}
			s := harness.NewServer(t, db, func(c *app.Config) { c.SecretKey = newKey })
			soundEverywhere(s)
			s.Stop()
		}
	}
}
