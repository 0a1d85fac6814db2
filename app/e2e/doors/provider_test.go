package doors

import (
	"bufio"
	"bytes"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/fermata-dev/fermata/app"
)

// openIDProvider is a third-party OpenID provider (examples/sign-in), as a process.
func openIDProvider(t *testing.T, redirect string) (issuer string) {
	t.Helper()
	for _, tool := range []string{"node", "npm"} {
		if _, err := exec.LookPath(tool); err != nil {
			if os.Getenv("CI") != "" {
				t.Fatalf("there is no %s; scripts/need node gets it", tool)
			}
			t.Skipf("there is no %s; scripts/need node gets it", tool)
		}
	}
	script, err := filepath.Abs("../../../examples/sign-in/install.sh")
	if err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command(script).CombinedOutput()
	if err != nil {
		t.Fatalf("install the provider: %v\n%s", err, out)
	}
	command := exec.Command("node", "provider.mjs", freePort(t), redirect)
	command.Dir = strings.TrimSpace(string(out[bytes.LastIndexByte(bytes.TrimSpace(out), '\n')+1:]))
	stdout, err := command.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = command.Process.Kill(); _ = command.Wait() })
	var said struct{ Issuer string }
	lines := bufio.NewScanner(stdout)
	if !lines.Scan() || json.Unmarshal(lines.Bytes(), &said) != nil {
		t.Fatalf("the provider said %q", lines.Text())
	}
	return said.Issuer
}

// freePort returns a port that is not in use.
func freePort(t *testing.T) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = listener.Close() }()
	_, port, _ := net.SplitHostPort(listener.Addr().String())
	return port
}

const clientSecret = "a secret to try with"

// newPeopleServer is a server at which people sign in, at the real provider.
func newPeopleServer(t *testing.T, db app.Database, change ...func(*app.Config)) *server {
	t.Helper()
	address := "127.0.0.1:" + freePort(t)
	issuer := openIDProvider(t, "http://"+address+"/v1/sign-in/callback")
	return newServer(t, db, append([]func(*app.Config){func(c *app.Config) {
		c.Listen, c.PublicURL = address, "http://"+address
		c.OIDCIssuer, c.OIDCClientID, c.OIDCClientSecret = issuer, "fermata", clientSecret
		c.OIDCScopes = []string{"profile"}
		c.OIDCRoleClaim, c.OIDCRoles = "groups", []string{"fermata-admins=admin", "staff=member"}
		c.OIDCWorkspaceClaim = "fermata_workspaces"
	}}, change...)...)
}

// browser is a person's: it keeps cookies and follows where it is sent.
type browser struct {
	t      *testing.T
	s      *server
	client *http.Client
}

func newBrowser(t *testing.T, s *server) *browser {
	t.Helper()
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	return &browser{t, s, &http.Client{Jar: jar}}
}

// send makes a request as a page of the server's own does.
func (b *browser) send(method, to, body string, headers ...string) (*http.Response, string) {
	b.t.Helper()
	request, err := http.NewRequest(method, to, strings.NewReader(body))
	if err != nil {
		b.t.Fatal(err)
	}
	request.Header.Set("Sec-Fetch-Site", "same-origin")
	request.Header.Set("Content-Type", "application/json")
	for i := 0; i < len(headers); i += 2 {
		request.Header.Set(headers[i], headers[i+1])
	}
	response, err := b.client.Do(request)
	if err != nil {
		b.t.Fatalf("%s %s: %v", method, to, err)
	}
	defer func() { _ = response.Body.Close() }()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		b.t.Fatal(err)
	}
	return response, string(text)
}

// call is send to the server, whose answer must have a status.
func (b *browser) call(method, path, body string, status int, headers ...string) string {
	b.t.Helper()
	response, text := b.send(method, b.s.URL+path, body, headers...)
	if response.StatusCode != status {
		b.t.Fatalf("%s %s: %d %s, want %d", method, path, response.StatusCode, text, status)
	}
	return text
}

var formAction = regexp.MustCompile(`action="([^"]+)"`)

// signIn goes to the provider, says who it is, agrees, and gives the address where it ends.
func (b *browser) signIn(login, returnTo string) *url.URL {
	b.t.Helper()
	page := []string{"Accept", "text/html", "Sec-Fetch-Site", "cross-site", "Sec-Fetch-Mode", "navigate"}
	response, text := b.send("GET", b.s.URL+"/v1/sign-in/oidc?"+url.Values{"return_to": {returnTo}}.Encode(), "", page...)
	for range 3 {
		action := formAction.FindStringSubmatch(text)
		if action == nil {
			return response.Request.URL
		}
		to, err := response.Request.URL.Parse(action[1])
		if err != nil {
			b.t.Fatal(err)
		}
		form := url.Values{"prompt": {"login"}, "login": {login}, "password": {"any"}}
		if !strings.Contains(text, `name="login"`) {
			form = url.Values{"prompt": {"consent"}}
		}
		response, text = b.send("POST", to.String(), form.Encode(), append(page, "Content-Type", "application/x-www-form-urlencoded")...)
	}
	return response.Request.URL
}

func (b *browser) me(status int) map[string]any {
	b.t.Helper()
	var me map[string]any
	if err := json.Unmarshal([]byte(b.call("GET", "/v1/me", "", status)), &me); err != nil {
		b.t.Fatal(err)
	}
	return me
}
