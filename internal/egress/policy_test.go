package egress

import (
	"errors"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"testing"
)

func mustAllow(t *testing.T, list string) []AllowedHost {
	t.Helper()
	allowed, err := ParseAllowedHosts(list)
	if err != nil {
		t.Fatal(err)
	}
	return allowed
}

// What each address is, under three policies: the strict one, one that opens private
// networks, and one with exceptions by name.
func TestAddresses(t *testing.T) {
	const public, private, never = "public", "private", "never"
	table := map[string]string{
		"8.8.8.8": public, "1.1.1.1": public, "104.18.0.1": public, "172.15.255.255": public, "172.32.0.1": public,
		"11.0.0.1": public, "100.63.255.255": public, "100.128.0.1": public, "198.17.255.255": public, "198.20.0.1": public,
		"2606:4700::1111": public, "2a00:1450:4007::200e": public, "2003::1": public, "::ffff:8.8.8.8": public,

		"127.0.0.1": private, "127.8.9.10": private, "::1": private, "10.0.0.1": private, "10.255.255.255": private,
		"172.16.0.1": private, "172.31.255.255": private, "192.168.1.1": private, "fc00::1": private, "fd12:3456::1": private,
		"::ffff:127.0.0.1": private, "::ffff:10.1.2.3": private,

		"0.0.0.0": never, "0.1.2.3": never, "::": never, "169.254.169.254": never, "169.254.1.1": never, "fe80::1": never,
		"fe80::1%eth0": never, "100.64.0.1": never, "100.127.255.255": never, "100.100.100.200": never, "168.63.129.16": never,
		"fd00:ec2::254": never, "fd20:ce::254": never, "::ffff:169.254.169.254": never,
		"64:ff9b::7f00:1": never, "64:ff9b::a9fe:a9fe": never, "64:ff9b:1::1": never, "2002:7f00:1::": never,
		"2001:0:4136:e378::1": never, "2001:db8::1": never, "::7f00:1": never, "::ffff:0:7f00:1": never, "fec0::1": never,
		"192.0.0.1": never, "192.0.0.192": never, "192.0.2.1": never, "198.18.0.1": never, "198.51.100.7": never,
		"203.0.113.9": never, "192.88.99.1": never, "240.0.0.1": never, "255.255.255.255": never, "224.0.0.1": never,
		"ff02::1": never, "100::1": never, "5f00::1": never, "3fff::1": never,
	}
	if len(table) < 40 {
		t.Fatalf("only %d addresses", len(table))
	}
	strict := Policy{}
	for text, kind := range table {
		to := netip.AddrPortFrom(netip.MustParseAddr(text), 443)
		if got := strict.allows(to, false); got != (kind == public) {
			t.Errorf("strict: %s is %s, allowed %v", text, kind, got)
		}
		if got := strict.allows(to, true); got != (kind == public || kind == private) {
			t.Errorf("private networks open: %s is %s, allowed %v", text, kind, got)
		}
		named := Policy{Allowed: mustAllow(t, "["+strings.Split(text, "%")[0]+"]:443")}
		if !named.allows(to, false) {
			t.Errorf("%s is refused although it is named", text)
		}
		if named.allows(netip.AddrPortFrom(to.Addr(), 8443), false) != (kind == public) {
			t.Errorf("%s: naming port 443 changes port 8443", text)
		}
	}
	network := Policy{Allowed: mustAllow(t, "10.1.0.0/16, 100.64.0.0/10,fd00::/8")}
	for text, want := range map[string]bool{"10.1.2.3": true, "::ffff:10.1.2.3": true, "10.2.0.1": false, "100.64.9.9": true, "fd00::5": true} {
		if got := network.allows(netip.AddrPortFrom(netip.MustParseAddr(text), 80), false); got != want {
			t.Errorf("network: %s allowed %v", text, got)
		}
	}
}

func TestAllowedHostsThatMakeNoSense(t *testing.T) {
	for _, list := range []string{"10.0.0.0/99", "http://host/", "user@host", "*.example.com", "a b", ":80", "host/24"} {
		if _, err := ParseAllowedHosts(list); err == nil {
			t.Errorf("%q was taken", list)
		}
	}
	if allowed, err := ParseAllowedHosts("", " Ollama.Local.:11434 ", "a,b"); err != nil || len(allowed) != 3 || allowed[0].Host != "ollama.local" {
		t.Errorf("got %v, %v", allowed, err)
	}
}

func get(t *testing.T, client *http.Client, url string) error {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	response, err := client.Do(request)
	if err != nil {
		return err
	}
	return response.Body.Close()
}

// A server on this machine is reached by the policies that allow it only; a proxy in
// the environment changes nothing.
func TestClientChecksWhereItGoes(t *testing.T) {
	t.Setenv("HTTP_PROXY", "http://127.0.0.1:1")
	server := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	defer server.Close()
	_, port, err := net.SplitHostPort(server.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	table := []struct {
		policy Policy
		host   string
		want   bool
	}{
		{Policy{}, "127.0.0.1", false},
		{Policy{}, "localhost", false},
		{Policy{Private: Open}, "127.0.0.1", true},
		{Policy{Allowed: mustAllow(t, "localhost")}, "localhost", true},
		{Policy{Allowed: mustAllow(t, "localhost:"+port)}, "LOCALHOST", true},
		{Policy{Allowed: mustAllow(t, "localhost:1")}, "localhost", false},
		{Policy{Allowed: mustAllow(t, "localhost")}, "127.0.0.1", false},
		{Policy{Allowed: mustAllow(t, "127.0.0.0/8")}, "localhost", true},
		{Policy{}, "0x7f.1", false},
		{Policy{}, "[::ffff:127.0.0.1]", false},
	}
	for _, row := range table {
		client := NewClient(Config{Policy: row.policy})
		err := get(t, client, "http://"+row.host+":"+port)
		client.CloseIdleConnections()
		if (err == nil) != row.want {
			t.Errorf("%+v to %s: %v", row.policy, row.host, err)
		}
		if row.want || row.host == "0x7f.1" {
			continue
		}
		if !errors.Is(err, ErrForbidden) {
			t.Errorf("%s: %v is not reported as forbidden", row.host, err)
		}
	}
}

// A line of a request is no command for a mail server or Redis, wherever it runs.
func TestPortsOfOtherProtocols(t *testing.T) {
	for address, want := range map[string]bool{
		"8.8.8.8:443": true, "8.8.8.8:80": true, "8.8.8.8:8443": true, "8.8.8.8:11434": true,
		"8.8.8.8:25": false, "8.8.8.8:22": false, "8.8.8.8:6379": false, "[2606:4700::1111]:587": false, "127.0.0.1:11211": false,
	} {
		to := netip.MustParseAddrPort(address)
		if (Policy{}).allows(to, true) != want {
			t.Errorf("%s: allowed %v", address, !want)
		}
		if named := (Policy{Allowed: mustAllow(t, address)}); !named.allows(to, false) {
			t.Errorf("%s is refused although it is named", address)
		}
	}
}
