package doctor

import (
	"strings"
	"testing"

	"github.com/fermata-dev/fermata/cli/clitest"
	"github.com/fermata-dev/fermata/internal/diagnosis"
)

// The doctor says whether the server can be watched from here.
func TestDoctorLooksAtMetrics(t *testing.T) {
	for name, c := range map[string]struct {
		status int
		answer string
		level  diagnosis.Level
	}{
		"shown":           {200, "# HELP x y\nfermata_build_info{version=\"dev\"} 1\n", diagnosis.LevelOK},
		"another page":    {200, "<html>Welcome</html>", diagnosis.LevelFailed},
		"not for us":      {403, `{"title":"No","code":"forbidden","status":403}`, diagnosis.LevelSkipped},
		"without key":     {401, `{"title":"Who?","code":"unauthenticated","status":401}`, diagnosis.LevelSkipped},
		"kept by a proxy": {404, "<html>nginx</html>", diagnosis.LevelSkipped},
		"it is ill":       {500, `{"title":"Oh","code":"internal","status":500}`, diagnosis.LevelFailed},
	} {
		f := clitest.NewAPI(t)
		f.Answers("GET /metrics", c.status, c.answer)
		cc, _ := clitest.Context(t, strings.NewReader(""))
		flags := f.Flags()
		client, err := flags.Client(cc)
		if err != nil {
			t.Fatal(err)
		}
		if got := (&doctor{Client: client, cc: cc}).metrics(); got.Level != c.level {
			t.Errorf("%s: %+v", name, got)
		}
	}
}
