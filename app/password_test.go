package app

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/rs/zerolog"

	"github.com/fermata-dev/fermata/operate"
)

// The password of the database's URL is never shown, whatever is wrong with the URL: not in an error, not in
// the log, not by doctor.
func TestTheDatabasePasswordIsNeverShown(t *testing.T) {
	for _, url := range []string{
		"postgres://u:QwertZuiop@[bad:1/db",
		"postgres://u:QwertZuiop%zz@127.0.0.1:1/db",
		"postgres://u:Qwert%Zuiop@127.0.0.1:1/db",
		"postgres://u:Qwert Zuiop@127.0.0.1:1/db",
		"postgres://u:Qwert#Zuiop@127.0.0.1:1/db",
		"postgres://u:12#QwertZuiop@127.0.0.1:1/db",
		"postgres://u:Qwert/Zuiop@127.0.0.1:1/db",
		"postgres://u:12/QwertZuiop@127.0.0.1:1/db",
		"postgres://u:Qwert?Zuiop@127.0.0.1:1/db",
		"postgres://u:12?QwertZuiop@127.0.0.1:1/db",
		"postgres://u:Qwert@Zuiop@127.0.0.1:1/db",
		"postgres://u:Qwert:Zuiop@127.0.0.1:1/db",
		"postgres://u:QwertZuiop@127.0.0.1:1/db?sslmode=disable",
		"postgres://u:QwertZuiop@127.0.0.1:QwertZuiop/db",
		"postgres://u:QwertZuiop@127.0.0.1:99999/db",
		"postgres://u@127.0.0.1:1/db?password=QwertZuiop&sslmode=QwertZuiop",
		"postgresql://u:QwertZuiop@QwertZuiop.invalid:1/db",
		"postgres://u:QwertZuiop@127.0.0.1:1/db\x7f",
		"mysql://u:QwertZuiop@127.0.0.1:1/db",
		"u:QwertZuiop@127.0.0.1:1/db",
		"QwertZuiop",
		"host=127.0.0.1 port=1 user=u password=Qwert Zuiop dbname=db",
		"host=127.0.0.1 port=1 user=u password='QwertZuiop dbname=db",
		"host=127.0.0.1 port=1 user=u password=QwertZuiop sslmode=disable",
		"host=127.0.0.1 port=QwertZuiop password=QwertZuiop",
		"password=QwertZuiop port=1 hostaddr=127.0.0.1 QwertZuiop",
		"password=QwertZuiop\\",
	} {
		flags := Database{DataDir: t.TempDir(), DatabaseURL: url}
		server := Config{Database: flags, Listen: "127.0.0.1:0"}
		var log bytes.Buffer
		server.Log = zerolog.New(&log)
		_, serve := New(t.Context(), server)
		migrate := (&operate.Migrate{Database: flags}).Run(t.Context(), io.Discard)

		doctor := Diagnose(t.Context(), Config{Database: flags, Listen: "127.0.0.1:0"}.withDefaults(), "http://127.0.0.1:1")
		if serve == nil || migrate == nil {
			t.Errorf("%q: serve says %v, migrate %v", url, serve, migrate)
		}
		for who, says := range map[string]string{
			"serve": fmt.Sprintf("%v %+v", serve, serve), "migrate": fmt.Sprintf("%v %#v", migrate, migrate), "the log": log.String(),
			"doctor": fmt.Sprintf("%+v", doctor),
		} {
			for _, part := range []string{"QwertZuiop", "Qwert", "Zuiop", ":12", "zz"} {
				if strings.Contains(says, part) {
					t.Errorf("%q: %s shows %q: %s", url, who, part, says)
				}
			}
		}
	}
}
