package doors

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/fermata-dev/fermata/app"
	"github.com/fermata-dev/fermata/app/e2e/harness"
	"github.com/fermata-dev/fermata/internal/testkit"
)

// nginxes are ways in which people put an nginx in front, beginning with the shortest.
var nginxes = map[string]string{
	"by default": "",
	"as guides have it": `proxy_http_version 1.1;
		proxy_set_header Host $host;
		proxy_set_header X-Real-IP $remote_addr;
		proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for;
		proxy_set_header X-Forwarded-Proto $scheme;`,
	"for websockets": `proxy_http_version 1.1;
		proxy_set_header Upgrade $http_upgrade;
		proxy_set_header Connection "upgrade";
		proxy_set_header Host $host;`,
	"with one header":      `proxy_http_version 1.1; proxy_set_header X-Forwarded-Host $host;`,
	"with RFC 7239's":      `proxy_http_version 1.1; proxy_set_header Forwarded "for=$remote_addr";`,
	"with the client's ip": `proxy_http_version 1.1; proxy_set_header X-Client-IP $remote_addr;`,
}

const nginxConf = `daemon off; master_process off; worker_processes 1; pid %[1]s/pid; error_log %[1]s/error.log;
events { worker_connections 64; }
http {
	access_log off;
	client_body_temp_path %[1]s/body; proxy_temp_path %[1]s/proxy; fastcgi_temp_path %[1]s/fastcgi; uwsgi_temp_path %[1]s/uwsgi; scgi_temp_path %[1]s/scgi;
	server { listen unix:%[1]s/socket; location / { proxy_pass %[2]s; %[3]s } }
}
`

// nginx runs a real one in front of a server, and gives a client of it.
func nginx(t *testing.T, upstream, settings string) *http.Client {
	t.Helper()
	binary, err := exec.LookPath("nginx")
	if err != nil {
		if binary, err = exec.LookPath("/usr/sbin/nginx"); err != nil {
			t.Skip("there is no nginx: scripts/need nginx installs it")
		}
	}
	dir, err := os.MkdirTemp("", "nginx") // a socket's path is short
	if err != nil {
		t.Fatal(err)
	}
	conf := filepath.Join(dir, "nginx.conf")
	if err := os.WriteFile(conf, fmt.Appendf(nil, nginxConf, dir, upstream, settings), 0o600); err != nil {
		t.Fatal(err)
	}
	var said bytes.Buffer
	child := exec.Command(binary, "-p", dir, "-c", conf, "-e", filepath.Join(dir, "error.log"))
	child.Stderr, child.Stdout = &said, &said
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan struct{})
	go func() { defer close(ended); _ = child.Wait() }()
	client := &http.Client{Transport: &http.Transport{DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, "unix", filepath.Join(dir, "socket"))
	}}}
	t.Cleanup(func() {
		client.CloseIdleConnections()
		_ = child.Process.Kill()
		<-ended
		_ = os.RemoveAll(dir)
	})
	testkit.Until(t, "nginx to listen", func() bool {
		select {
		case <-ended:
			log, _ := os.ReadFile(filepath.Join(dir, "error.log"))
			t.Fatalf("nginx ended: %s%s", said.Bytes(), log)
		default:
		}
		conn, err := new(net.Dialer).DialContext(t.Context(), "unix", filepath.Join(dir, "socket"))
		if err == nil {
			_ = conn.Close()
		}
		return err == nil
	})
	return client
}

// through sends a request as a client on the internet does.
func through(t *testing.T, client *http.Client, method, path string, headers ...string) (status int, body string) {
	t.Helper()
	var content io.Reader
	if method == http.MethodPost {
		content = strings.NewReader(`{"name": "x"}`)
	}
	request, err := http.NewRequestWithContext(t.Context(), method, "http://fermata.example"+path, content)
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Content-Type", "application/json")
	for i := 0; i < len(headers); i += 2 {
		request.Header.Set(headers[i], headers[i+1])
	}
	response, err := client.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = response.Body.Close() }()
	read, err := io.ReadAll(io.LimitReader(response.Body, 1<<16))
	if err != nil {
		t.Fatal(err)
	}
	return response.StatusCode, string(read)
}

// TestAnNginxInFrontOpensNothing: the internet gets nothing of a server without
// credentials through a proxy in front, however it is set up. With a root
// key it is an ordinary server behind a proxy.
func TestAnNginxInFrontOpensNothing(t *testing.T) {
	open := newServer(t, harness.Databases["sqlite"](t))
	open.Call("POST", "/v1/zones", map[string]any{"name": "private"}).Want(201)
	closed := newServer(t, harness.Databases["sqlite"](t), func(f *app.Config) { f.RootKey = harness.RootKey })
	for name, settings := range nginxes {
		t.Run(name, func(t *testing.T) {
			client := nginx(t, open.URL, settings)
			for _, path := range []string{"/v1/zones", "/v1/events", "/v1/events/stream", "/v1/workspaces", "/v1/admin/status", "/metrics"} {
				if status, body := through(t, client, "GET", path); status != 403 || strings.Contains(body, "private") || strings.Contains(body, "fermata_build_info") {
					t.Errorf("GET %s: %d %.300s", path, status, body)
				}
			}
			for _, path := range []string{"/v1/zones", "/v1/keys", "/v1/stream-tickets"} {
				if status, body := through(t, client, "POST", path); status != 403 {
					t.Errorf("POST %s: %d %.300s", path, status, body)
				}
			}
			client = nginx(t, closed.URL, settings)
			for _, path := range []string{"/v1/zones", "/metrics"} {
				if status, body := through(t, client, "GET", path); status != 401 {
					t.Errorf("GET %s of a server with a root key: %d %.300s", path, status, body)
				}
				if status, body := through(t, client, "GET", path, bearer(harness.RootKey)...); status != 200 {
					t.Errorf("GET %s with the root key: %d %.300s", path, status, body)
				}
			}
		})
	}
	if zones := open.Call("GET", "/v1/zones", nil).Want(200).List("data"); len(zones) != 1 {
		t.Errorf("zones: %v", zones)
	}
}

// TestHostsOfTheOpenDoor are written by hand: clients do not send such things, and proxies
// and attackers do.
func TestHostsOfTheOpenDoor(t *testing.T) {
	s := newServer(t, harness.Databases["sqlite"](t))
	address := strings.TrimPrefix(s.URL, "http://")
	for head, want := range map[string]int{
		"GET /v1/zones HTTP/1.1\r\nHost: " + address + "\r\n":                                   200,
		"GET /v1/zones HTTP/1.1\r\nHost: localhost\r\n":                                         200,
		"GET " + s.URL + "/v1/zones HTTP/1.1\r\nHost: evil.example\r\n":                         200, // the address of the request counts
		"GET http://evil.example/v1/zones HTTP/1.1\r\nHost: localhost\r\n":                      403,
		"GET /v1/zones HTTP/1.0\r\nHost: " + address + "\r\n":                                   403,
		"GET /v1/zones HTTP/1.0\r\n":                                                            403,
		"GET /v1/zones HTTP/1.1\r\nHost: " + address + ",evil.example\r\n":                      403,
		"GET /v1/zones HTTP/1.1\r\nHost: localhost:evil.example\r\n":                            403,
		"GET /v1/zones HTTP/1.1\r\nHost: localhost\r\nHost: evil.example\r\n":                   400,
		"GET /v1/zones HTTP/1.1\r\nHost: localhost\r\nHost: localhost\r\n":                      400,
		"GET /v1/zones HTTP/1.1\r\nHost:\r\n":                                                   403,
		"GET /v1/zones HTTP/1.1\r\n":                                                            400,
		"GET /v1/zones HTTP/1.1\r\nHost: localhost\r\nX-FORWARDED-FOR: 1.2.3.4\r\n":             403,
		"GET /v1/zones HTTP/1.1\r\nHost: localhost\r\nX_Forwarded_For: 1.2.3.4\r\n":             403,
		"GET /v1/zones HTTP/1.1\r\nHost: localhost\r\nForwarded:\r\n":                           403,
		"GET /metrics HTTP/1.0\r\nHost: localhost\r\n":                                          403,
		"GET /metrics HTTP/1.1\r\nHost: evil.example\r\n":                                       403,
		"GET /metrics HTTP/1.1\r\nHost: localhost\r\nSec-Fetch-Site: cross-site\r\n":            403,
		"GET /metrics HTTP/1.1\r\nHost: localhost\r\n":                                          200,
		"GET /v1/events HTTP/1.1\r\nHost: localhost\r\nSec-Fetch-Site: cross-site\r\n":          403,
		"GET /v1/search?q=a HTTP/1.1\r\nHost: localhost\r\nSec-Fetch-Site: same-site\r\n":       403,
		"HEAD /v1/zones HTTP/1.1\r\nHost: localhost\r\nSec-Fetch-Site: cross-site\r\n":          403,
		"GET /openapi.yaml HTTP/1.1\r\nHost: fermata.example\r\nSec-Fetch-Site: cross-site\r\n": 200, // no secret
	} {
		conn, err := new(net.Dialer).DialContext(t.Context(), "tcp", address)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.WriteString(conn, head+"Connection: close\r\n\r\n"); err != nil {
			t.Fatal(err)
		}
		line, err := bufio.NewReader(conn).ReadString('\n')
		_ = conn.Close()
		if err != nil || !strings.Contains(line, fmt.Sprintf(" %d ", want)) {
			t.Errorf("%q: %q, %v; want %d", head, line, err, want)
		}
	}
}
