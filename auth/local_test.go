package auth

import (
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"testing"

	"github.com/fermata-dev/fermata/domain"
)

func TestLoopbackNames(t *testing.T) {
	for host, want := range map[string]bool{
		"localhost": true, "LOCALHOST:80": true, "localhost.": true, "app.localhost": true, "app.localhost:3000": true, "127.0.0.1": true,
		"127.9.9.9:1": true, "[::1]": true, "[::1]:80": true, "[::ffff:127.0.0.1]:80": true, "::1": true,
		"": false, "0.0.0.0": false, "10.0.0.1": false, "notlocalhost": false, "127.0.0.1.evil.example": false, "[::2]:80": false,
		"localhost:evil.com": false, "127.0.0.1:18341,evil.com": false, "localhost,evil.com": false, "localhost, localhost": false,
		"localhost:": false, "localhost:0": false, "localhost:65536": false, "localhost:+80": false, "localhost:-1": false, "localhost:80:80": false,
		"evil.com,.localhost": false, "evil.com/.localhost": false, "user@localhost": false, "evil.com#.localhost": false, "[localhost]:80": false,
		"[127.0.0.1]:80": false, "[::1": false, "::1]": false, "[::1]evil.com": false, "[::1]:evil.com": false, "[::1%lo]": false, "127.0.0.1%lo": false,
		" localhost": false, "localhost ": false, "local\thost": false, "0177.0.0.1": false, "127.1": false, "2130706433": false,
	} {
		if LoopbackHost(host) != want {
			t.Errorf("%q: %v", host, !want)
		}
	}
}

// local is a request of a program on this machine.
func local(change ...func(*http.Request)) *http.Request {
	r := request("localhost:8080", "", "")
	r.RemoteAddr = "127.0.0.1:40000"
	for _, c := range change {
		c(r)
	}
	return r
}

func with(name, value string) func(*http.Request) {
	return func(r *http.Request) { r.Header[name] = []string{value} } // as it came, also in odd letters
}

func TestProxies(t *testing.T) {
	a, _ := setUp(t, "", true)
	proxied := map[string]bool{
		"Forwarded": true, "Via": true, "X-Forwarded-For": true, "X-Forwarded-Host": true, "X-Forwarded-Proto": true, "X-Forwarded-Server": true,
		"X-Forwarded": true, "X-Real-Ip": true, "True-Client-Ip": true, "X-Client-Ip": true, "X-Cluster-Client-Ip": true, "Fastly-Client-Ip": true,
		"Wl-Proxy-Client-Ip": true, "Cf-Connecting-Ip": true, "Cf-Ray": true, "Cf-Ipcountry": true, "Cdn-Loop": true, "X-Original-Forwarded-For": true,
		"X-Original-Url": true, "X-Original-Host": true, "X-Rewrite-Url": true, "X-Envoy-External-Address": true, "Fly-Client-Ip": true, "Fly-Region": true,
		"X-Azure-Clientip": true, "X-Appengine-User-Ip": true, "X-Amzn-Trace-Id": true, "X-Vercel-Id": true, "Tailscale-User-Login": true,
		"X_forwarded_for": true, "X-FORWARDED-FOR": true, "Proxy-Connection": true,
		"User-Agent": false, "Accept": false, "X-Request-Id": false, "Traceparent": false, "Content-Type": false, "X-Custom": false, "Idempotency-Key": false,
		"Last-Event-Id": false, "Accept-Language": false, "Cache-Control": false, "X-Requested-With": false,
	}
	for header, proxy := range proxied {
		r := local(with(header, "203.0.113.9"))
		if _, err := a.Authenticate(r); (err != nil) != proxy || proxy && domain.ErrorCode(err) != domain.CodeForbidden {
			t.Errorf("%q at the open door: %v", header, err)
		}
		if a.LocalPeer(r) == proxy {
			t.Errorf("%q: a peer on this machine: %v", header, proxy)
		}
	}
	old := local(func(r *http.Request) { r.Proto, r.ProtoMajor, r.ProtoMinor = "HTTP/1.0", 1, 0 })
	if _, err := a.Authenticate(old); domain.ErrorCode(err) != domain.CodeForbidden || a.LocalPeer(old) {
		t.Errorf("HTTP/1.0: %v", err)
	}
}

func TestLocalPeers(t *testing.T) {
	a, _ := setUp(t, rootKey, true)
	if !a.LocalPeer(local()) {
		t.Error("a program on this machine is not known, where there is a root key")
	}
	for remote, host := range map[string]string{"203.0.113.9:1": "localhost", "127.0.0.1:1": "fermata.example", "garbage": "localhost"} {
		r := request(host, "", "")
		if r.RemoteAddr = remote; a.LocalPeer(r) {
			t.Errorf("%s as %s is no peer on this machine", remote, host)
		}
	}
	a.config.Public = true
	if a.LocalPeer(local()) {
		t.Error("behind a configured proxy, any client may appear local")
	}
}

// TestPagesAtTheOpenDoor verifies that the headers a browser sends about a page decide whether the page may use an
// open server.
func TestPagesAtTheOpenDoor(t *testing.T) {
	a, _ := setUp(t, "", true)
	origins, err := ParseOrigins("https://app.example", "http://localhost:3000")
	if err != nil {
		t.Fatal(err)
	}
	a.config.Origins = origins
	for name, c := range map[string]struct {
		site, origin, referer string
		in                    bool
	}{
		"a program":                             {in: true},
		"the page itself":                       {site: "same-origin", in: true},
		"the page itself, changing":             {site: "same-origin", origin: "http://localhost:8080", in: true},
		"an address that was typed":             {site: "none", in: true},
		"another site":                          {site: "cross-site"},
		"another site with its origin":          {site: "cross-site", origin: "https://evil.example"},
		"another port":                          {site: "same-site", origin: "http://localhost:3001"},
		"a value of tomorrow":                   {site: "same-planet"},
		"an old browser, another site":          {origin: "https://evil.example"},
		"an old browser, another port":          {origin: "http://localhost:3001"},
		"an old browser, itself":                {origin: "http://localhost:8080", in: true},
		"a sandbox":                             {site: "cross-site", origin: "null"},
		"a sandbox in an old browser":           {origin: "null"},
		"a link of another site, old browser":   {referer: "https://evil.example/page"},
		"behind a proxy that says nothing":      {site: "same-origin", origin: "https://fermata.example"},
		"read behind a proxy that says nothing": {site: "same-origin", referer: "https://fermata.example/"},
		"behind a proxy for development":        {site: "same-origin", origin: "http://localhost:5173", in: true},
		"an origin that is allowed":             {site: "cross-site", origin: "https://app.example", in: true},
		"a port that is allowed":                {site: "same-site", origin: "http://localhost:3000", referer: "http://localhost:3000/", in: true},
		"an allowed one in other letters":       {site: "cross-site", origin: "https://App.example"},
		"one below an allowed one":              {site: "cross-site", origin: "https://x.app.example"},
		"an allowed one with a port":            {site: "cross-site", origin: "https://app.example:444"},
		"an image on an allowed page":           {site: "cross-site", referer: "https://app.example/"},
	} {
		r := local()
		for header, value := range map[string]string{"Sec-Fetch-Site": c.site, "Origin": c.origin, "Referer": c.referer} {
			if value != "" {
				r.Header.Set(header, value)
			}
		}
		_, err := a.Authenticate(r)
		if (err == nil) != c.in || !c.in && domain.ErrorCode(err) != domain.CodeCrossOrigin {
			t.Errorf("%s: %v", name, err)
		}
		if a.LocalPeer(r) != c.in {
			t.Errorf("%s: a program on this machine: %v", name, !c.in)
		}
	}
}

func TestOrigins(t *testing.T) {
	for text, want := range map[string]string{
		"https://app.example": "https://app.example", "http://localhost:3000": "http://localhost:3000", "HTTPS://App.Example": "https://app.example",
		"https://app.example:443": "https://app.example", "http://a:80": "http://a", "http://a:443": "http://a:443",
		"http://[::1]:3000": "http://[::1]:3000", "tauri://localhost": "tauri://localhost", "https://xn--bcher-kva.example": "https://xn--bcher-kva.example",
	} {
		got, err := ParseOrigins(text)
		if err != nil || !got.Allow(want) || len(got) != 1 {
			t.Errorf("%q: %v, %v", text, got, err)
		}
	}
	for _, text := range []string{
		"*", "https://*.example", "null", "NULL", "app.example", "https://", "https://a/", "https://a/path", "https://a?", "https://a?q=1", "https://a#", "https://a#x",
		"https://u@a", "https://u:p@a", "//a", "https:a", "https://bücher.example", "https://a b", "https://a:", "https://a,https://b", "localhost:3000", "javascript:x",
	} {
		if got, err := ParseOrigins(text); err == nil {
			t.Errorf("%q was taken for %v", text, got)
		}
	}
	if got, err := ParseOrigins(" https://a ", "https://b"); err != nil || !got.Allow("https://a") || !got.Allow("https://b") {
		t.Errorf("two: %v, %v", got, err)
	}
	if got, err := ParseOrigins("", " "); err != nil || len(got) != 0 || got.Allow("") || got.Allow("null") {
		t.Errorf("none: %v, %v", got, err)
	}
}

func TestRootKeys(t *testing.T) {
	for key, good := range map[string]bool{
		"": true, rootKey: true, "abcdefghij" + strings.Repeat("a", 22): true,
		"short": false, rootKey[:31]: false, strings.Repeat("a", 32): false, strings.Repeat("0123456789", 3): false,
		strings.Repeat("12345678", 4): false, "abcdefghi" + strings.Repeat("a", 23): false,
	} {
		err := CheckRootKey(key)
		if (err == nil) != good {
			t.Errorf("%q: %v", key, err)
		}
		if err != nil && key != "" && strings.Contains(err.Error(), key) {
			t.Errorf("the error contains the key: %v", err)
		}
	}
}

// Whatever passes for this machine is one host that URLs and dials understand in the same
// way.
func FuzzLoopbackHost(f *testing.F) {
	for _, host := range []string{"localhost", "localhost:80", "[::1]:80", "::1", "127.0.0.1:evil", "a.localhost", "[::ffff:127.0.0.1]", "localhost:80,evil.example"} {
		f.Add(host)
	}
	f.Fuzz(func(t *testing.T, host string) {
		if !LoopbackHost(host) || isAddress(host) {
			return
		}
		u, err := url.Parse("http://" + host + "/")
		if err != nil || u.Host != host || u.User != nil || u.Path != "/" {
			t.Fatalf("%q passes, and a URL makes %+v of it: %v", host, u, err)
		}
		name := strings.ToLower(strings.TrimSuffix(u.Hostname(), "."))
		if ip, err := netip.ParseAddr(name); err == nil && ip.Unmap().IsLoopback() {
			return
		}
		if name != "localhost" && !strings.HasSuffix(name, ".localhost") {
			t.Fatalf("%q passes as %q", host, name)
		}
	})
}

func isAddress(host string) bool { _, err := netip.ParseAddr(host); return err == nil }

// An origin that is taken is written as browsers write it, and taken again as itself.
func FuzzOrigins(f *testing.F) {
	for _, text := range []string{"https://app.example", "http://localhost:3000", "https://a:443", "http://[::1]:80", "null", "*", "https://a/", "https://u@a", "http://:80", "http://[]:80"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		origins, err := ParseOrigins(text)
		if err != nil {
			return
		}
		for origin := range origins {
			again, err := ParseOrigins(origin)
			if err != nil || !again.Allow(origin) || strings.ContainsAny(origin, "*@?# ,\\\r\n") || strings.Count(origin, "/") != 2 {
				t.Fatalf("%q became %q: %v", text, origin, err)
			}
		}
	})
}
