package doors

import (
	"net/http"
	"os"
	"os/exec"
	"reflect"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/fermata-dev/fermata/app"
	"github.com/fermata-dev/fermata/app/e2e/harness"
	"github.com/fermata-dev/fermata/internal/testkit"
)

var assignment = regexp.MustCompile(`(?m)^(FERMATA_\w+)=(?:"([^"]*)"|(\S+)) \\$`)

// TestTheHowToForSigningIn: the provider and the server are started as docs/sign-in.md says, on
// other ports, and the three people of the page come.
func TestTheHowToForSigningIn(t *testing.T) {
	for _, tool := range []string{"node", "npm", "bash"} {
		if _, err := exec.LookPath(tool); err != nil {
			t.Skipf("there is no %s", tool)
		}
	}
	text, err := os.ReadFile("../../../docs/sign-in.md")
	if err != nil {
		t.Fatal(err)
	}
	port, theirs := freePort(t), freePort(t)
	here := strings.NewReplacer("127.0.0.1:8080", "127.0.0.1:"+port, "127.0.0.1:3000", "127.0.0.1:"+theirs, "provider.mjs 3000", "provider.mjs "+theirs)
	typed := shell.FindAllStringSubmatch(here.Replace(string(text)), -1)
	if len(typed) != 2 {
		t.Fatalf("the page has %d commands", len(typed))
	}
	provider := exec.Command("bash", "-c", strings.Replace(typed[0][1], "&& node", "&& exec node", 1))
	provider.Dir = "../../.."
	if err := provider.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = provider.Process.Kill(); _ = provider.Wait() })

	values := map[string]string{}
	for _, set := range assignment.FindAllStringSubmatch(typed[1][1], -1) {
		values[set[1]] = set[2] + set[3]
	}
	set := 0
	s := newServer(t, harness.Databases["sqlite"](t), func(c *app.Config) {
		c.Listen = "127.0.0.1:" + port
		set = setVariables(reflect.ValueOf(c).Elem(), values)
	})
	if set != len(values) || set < 5 {
		t.Fatalf("%d of the variables %v are the server's", set, values)
	}
	testkit.Until(t, "the provider answers", func() bool {
		response, err := http.Get("http://127.0.0.1:" + theirs + "/jwks")
		return err == nil && response.Body.Close() == nil && response.StatusCode == http.StatusOK
	})
	for login, role := range map[string]string{"ada": "admin", "ben": "member", "eve": ""} {
		b := newBrowser(t, s)
		b.signIn(login, "/")
		if role == "" {
			b.me(401)
		} else if me := b.me(200); me["role"] != role {
			t.Errorf("%s is %v", login, me)
		}
	}
	down := s.Config
	down.OIDCIssuer = "http://127.0.0.1:1"
	for words, config := range map[string]app.Config{"/v1/sign-in/callback": s.Config, "connection refused": down} {
		findings, found := app.Diagnose(t.Context(), config, s.URL), false
		for _, f := range findings {
			found = found || f.Check == "issuer" && strings.Contains(f.Detail, words)
		}
		if !found {
			t.Errorf("the doctor does not say %q: %+v", words, findings)
		}
	}
}

// setVariables sets the fields whose variables are named, as the command line does, and counts them.
func setVariables(v reflect.Value, values map[string]string) (set int) {
	for i := range v.NumField() {
		field, tag := v.Field(i), v.Type().Field(i).Tag
		value, named := values[tag.Get("env")]
		switch {
		case field.Kind() == reflect.Struct && v.Type().Field(i).Anonymous:
			set += setVariables(field, values)
		case !named:
		case field.Kind() == reflect.String:
			field.SetString(value)
			set++
		case field.Type() == reflect.TypeFor[[]string]():
			field.Set(reflect.ValueOf(strings.Split(value, ",")))
			set++
		case field.Type() == reflect.TypeFor[time.Duration]():
			d, _ := time.ParseDuration(value)
			field.SetInt(int64(d))
			set++
		}
	}
	return set
}
