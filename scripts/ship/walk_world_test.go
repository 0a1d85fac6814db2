package main

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"io"
	"math/big"
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
	"time"

	"github.com/fermata-dev/fermata/internal/testkit"
)

type block struct{ kind, text string }

// blocks are the code blocks of a document.
func blocks(t *testing.T, page string) (all []block) {
	t.Helper()
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	for _, found := range regexp.MustCompile("(?s)```([a-z]+)\n(.*?)```").FindAllStringSubmatch(string(text), -1) {
		all = append(all, block{found[1], found[2]})
	}
	return all
}

func pwd(t *testing.T) string {
	t.Helper()
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

func freePort(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = l.Close() }()
	_, port, _ := net.SplitHostPort(l.Addr().String())
	return port
}

// certificate creates a self-signed certificate for this machine.
func certificate(t *testing.T, dir string) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	now := time.Now()
	template := &x509.Certificate{SerialNumber: big.NewInt(1), NotBefore: now.Add(-time.Hour), NotAfter: now.Add(90 * 24 * time.Hour),
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, IsCA: true, BasicConstraintsValid: true}
	signed, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		t.Fatal(err)
	}
	private, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	for name, part := range map[string]*pem.Block{"pem": {Type: "CERTIFICATE", Bytes: signed}, "key": {Type: "PRIVATE KEY", Bytes: private}} {
		if err := os.WriteFile(filepath.Join(dir, "etc/ssl/fermata."+name), pem.EncodeToMemory(part), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// beside runs a program until the test ends.
func (w *walk) beside(name string, args ...string) {
	w.t.Helper()
	var said bytes.Buffer
	cmd := exec.Command(name, args...)
	cmd.Stdout, cmd.Stderr = &said, &said
	if err := cmd.Start(); err != nil {
		w.t.Fatal(err)
	}
	w.t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
		if w.t.Failed() {
			w.t.Logf("%s printed\n%s", name, said.String())
		}
	})
}

// issuer is the provider of examples/sign-in.
func (w *walk) issuer() {
	w.t.Helper()
	folder, err := exec.CommandContext(w.t.Context(), "examples/sign-in/install.sh").Output()
	if err != nil {
		w.t.Fatalf("install the OpenID provider: %v", err)
	}
	w.beside("node", strings.TrimSpace(string(folder))+"/provider.mjs", w.ports.issuer, "https://127.0.0.1:"+w.ports.tls+"/v1/sign-in/callback")
	w.answers("http://127.0.0.1:"+w.ports.issuer+"/jwks", http.DefaultClient)
}

func (w *walk) answers(address string, client *http.Client) {
	w.t.Helper()
	testkit.Until(w.t, address+" answers", func() bool {
		response, err := client.Get(address)
		return err == nil && response.Body.Close() == nil && response.StatusCode == http.StatusOK
	})
}

// nginx runs nginx with the document's version of our configuration, within a distribution's usual one.
func (w *walk) nginx() {
	w.t.Helper()
	path := filepath.Join(w.dir, "etc/nginx/conf.d/fermata.conf")
	text, err := os.ReadFile(path)
	if err != nil {
		w.t.Fatal(err)
	}
	text = []byte(strings.ReplaceAll(w.here.Replace(string(text)), "/etc/ssl/", w.dir+"/etc/ssl/"))
	text = []byte(strings.ReplaceAll(string(text), "/var/log/nginx/", w.dir+"/"))
	if err := os.WriteFile(path, text, 0o600); err != nil {
		w.t.Fatal(err)
	}
	conf := fmt.Sprintf(`daemon off; master_process off; worker_processes 1; pid %[1]s/pid; error_log %[1]s/error.log;
events { worker_connections 64; }
http {
	access_log off;
	client_body_temp_path %[1]s/body; proxy_temp_path %[1]s/proxy; fastcgi_temp_path %[1]s/fastcgi; uwsgi_temp_path %[1]s/uwsgi; scgi_temp_path %[1]s/scgi;
	include %[1]s/etc/nginx/conf.d/*.conf;
}
`, w.dir)
	w.write("nginx.conf", conf)
	if out, err := exec.CommandContext(w.t.Context(), "nginx", "-t", "-p", w.dir, "-c", w.dir+"/nginx.conf").CombinedOutput(); err != nil {
		w.t.Fatalf("nginx -t: %v\n%s", err, out)
	}
	w.beside("nginx", "-p", w.dir, "-c", w.dir+"/nginx.conf", "-e", w.dir+"/error.log")
}

// prometheus scrapes with the document's configuration, at a shorter interval.
func (w *walk) prometheus() {
	w.t.Helper()
	path := filepath.Join(w.dir, "etc/prometheus/prometheus.yml")
	text, err := os.ReadFile(path)
	if err != nil {
		w.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(strings.Replace(w.here.Replace(string(text)), "15s", "1s", 1)), 0o600); err != nil {
		w.t.Fatal(err)
	}
	at := "http://127.0.0.1:" + w.ports.prometheus
	w.beside("prometheus", "--config.file="+path, "--storage.tsdb.path="+w.dir+"/series", "--web.listen-address=127.0.0.1:"+w.ports.prometheus)
	w.answers(at+"/-/ready", http.DefaultClient)
	asked := func(path string) string {
		response, err := http.Get(at + path)
		if err != nil {
			return err.Error()
		}
		defer func() { _ = response.Body.Close() }()
		body, _ := io.ReadAll(response.Body)
		return string(body)
	}
	up := "/api/v1/query?query=" + url.QueryEscape(`up{job="fermata"} * on() group_left(version) fermata_build_info`)
	testkit.Until(w.t, "Prometheus scrapes the server", func() bool { return strings.Contains(asked(up), `,"1"]`) })
	if rules := asked("/api/v1/rules"); !strings.Contains(rules, `"FermataDown"`) {
		w.t.Errorf("the rules that are loaded: %s", rules)
	}
}

// person is a browser at the web app.
type person struct {
	*http.Client
	w *walk
}

// send makes a request as the web app does, or as a browser that follows a link.
func (p *person) send(method, to, body string, headers ...string) (*http.Response, string) {
	p.w.t.Helper()
	request, err := http.NewRequestWithContext(p.w.t.Context(), method, to, strings.NewReader(body))
	if err != nil {
		p.w.t.Fatal(err)
	}
	request.Header.Set("Sec-Fetch-Site", "same-origin")
	request.Header.Set("Content-Type", "application/json")
	for i := 0; i < len(headers); i += 2 {
		request.Header.Set(headers[i], headers[i+1])
	}
	response, err := p.Do(request)
	if err != nil {
		p.w.t.Fatalf("%s %s: %v", method, to, err)
	}
	defer func() { _ = response.Body.Close() }()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		p.w.t.Fatal(err)
	}
	return response, string(text)
}

var formAction = regexp.MustCompile(`action="([^"]+)"`)

// signIn opens the web app and signs in as an administrator.
func (w *walk) signIn() {
	w.t.Helper()
	authority, err := os.ReadFile(filepath.Join(w.dir, "etc/ssl/fermata.pem"))
	if err != nil {
		w.t.Fatal(err)
	}
	roots := x509.NewCertPool()
	roots.AppendCertsFromPEM(authority)
	jar, err := cookiejar.New(nil)
	if err != nil {
		w.t.Fatal(err)
	}
	transport := &http.Transport{TLSClientConfig: &tls.Config{RootCAs: roots, MinVersion: tls.VersionTLS12}}
	w.t.Cleanup(transport.CloseIdleConnections)
	w.people = &person{&http.Client{Jar: jar, Transport: transport}, w}
	w.answers(w.at("/readyz"), w.people.Client)
	link := []string{"Accept", "text/html", "Sec-Fetch-Site", "cross-site", "Sec-Fetch-Mode", "navigate"}
	response, text := w.people.send("GET", w.at("/v1/sign-in/oidc?return_to=/"), "", link...)
	for action := formAction.FindStringSubmatch(text); action != nil; action = formAction.FindStringSubmatch(text) {
		to, err := response.Request.URL.Parse(action[1])
		if err != nil {
			w.t.Fatal(err)
		}
		form := url.Values{"prompt": {"login"}, "login": {"ada"}, "password": {"any"}}
		if !strings.Contains(text, `name="login"`) {
			form = url.Values{"prompt": {"consent"}}
		}
		if to.Host == "127.0.0.1:"+w.ports.tls {
			break
		}
		response, text = w.people.send("POST", to.String(), form.Encode(), append(link, "Content-Type", "application/x-www-form-urlencoded")...)
	}
	var me struct{ Role, Method string }
	w.get("/v1/me", &me)
	if me.Role != "admin" || me.Method != "oidc" {
		w.t.Fatalf("ada is %+v; sent to %s\n%.500s", me, response.Request.URL, text)
	}
}

func (w *walk) at(path string) string { return "https://127.0.0.1:" + w.ports.tls + path }

func (w *walk) get(path string, into any) {
	w.t.Helper()
	response, text := w.people.send("GET", w.at(path), "")
	if err := json.Unmarshal([]byte(text), into); err != nil || response.StatusCode != http.StatusOK {
		w.t.Fatalf("GET %s: %d %s", path, response.StatusCode, text)
	}
}

// chat sends a message and waits for the answer.
func (w *walk) talk() {
	w.t.Helper()
	response, text := w.people.send("POST", w.at("/v1/sessions"), `{"type": "CHAT", "message": {"text": "hello"}}`)
	var session struct{ ID, Status string }
	if err := json.Unmarshal([]byte(text), &session); err != nil || response.StatusCode != http.StatusCreated {
		w.t.Fatalf("begin a chat: %d %s", response.StatusCode, text)
	}
	w.session = session.ID
	testkit.Until(w.t, "the answer is there", func() bool {
		w.get("/v1/sessions/"+w.session, &session)
		return session.Status == "idle" && len(w.record()) >= 2
	})
}

func (w *walk) record() []any {
	w.t.Helper()
	var list struct{ Data []any }
	w.get("/v1/sessions/"+w.session+"/messages", &list)
	return list.Data
}

// remembered checks that the browser is still signed in, and the chat is restored.
func (w *walk) remembered() {
	w.t.Helper()
	w.answers(w.at("/readyz"), w.people.Client)
	if got := w.record(); len(got) < 2 {
		w.t.Errorf("after the restore the chat has %d messages", len(got))
	}
	if w.volume != "fermata-again" {
		w.t.Error("nothing was restored to another place")
	}
}
