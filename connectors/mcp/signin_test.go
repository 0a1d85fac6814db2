package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/fermata-dev/fermata/connectors"
	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/internal/egress"
)

// A client's secret is shown to its issuer alone, whatever server the other side names.
func TestAClientIsOfOneIssuer(t *testing.T) {
	g := newGuarded(t)
	client := egress.NewClient(egress.Config{Policy: egress.Policy{Private: egress.Open}})
	t.Cleanup(client.CloseIdleConnections)
	for issuer, says := range map[string]string{
		"":                                 "also enter its URL as issuer",
		"https://login.example.com":        "an authorization server other than the issuer",
		g.auth.URL + "/tenant":             "an authorization server other than the issuer",
		strings.ToUpper(g.auth.URL) + "/x": "an authorization server other than the issuer",
		g.auth.URL:                         "",
		g.auth.URL + "/":                   "",
	} {
		s := signer{NewOAuth(OAuthConfig{
			URL: g.URL, Client: client, Store: &lockedStore{}, ClientID: "gh-client", ClientSecret: "gh-secret-0123456789", Issuer: issuer,
		})}
		address, _, err := s.Begin(context.Background(), "https://fermata.example/back", "")
		switch {
		case says == "" && (err != nil || !strings.HasPrefix(address, g.auth.URL)):
			t.Errorf("%q: %q %v", issuer, address, err)
		case says != "" && (err == nil || !strings.Contains(err.Error(), says)):
			t.Errorf("%q: %q %v, want %q", issuer, address, err, says)
		}
	}
	for config, pointer := range map[string]string{
		`{"url":"https://a.example","auth":"oauth","issuer":"https://b.example"}`:                                     "/config/issuer",
		`{"url":"https://a.example","auth":"oauth","client_id":"c","issuer":"b"}`:                                     "/config/issuer",
		`{"url":"https://a.example","issuer":"https://b.example"}`:                                                    "/config/issuer",
		`{"url":"https://a.example","auth":"oauth","client_id":"c","client_secret":"s","issuer":"https://b.example"}`: "",
	} {
		origin, err := Origin(json.RawMessage(config))
		refused, _ := errors.AsType[*domain.Error](err)
		if pointer == "" && (err != nil || origin != "https://a.example:443 https://b.example:443") || pointer != "" && (refused == nil || refused.Fields[0].Pointer != pointer) {
			t.Errorf("%s: %q %v", config, origin, err)
		}
	}
}

// Why a sign-in cannot be begun names neither what a name resolves to, nor who resolves it, nor
// what another server wrote.
func TestWhySignInsFail(t *testing.T) {
	const body = "\x1b[31mpassword of db-7.internal is hunter2"
	for name, serve := range map[string]func(w http.ResponseWriter, r *http.Request, self string){
		"an authorization server within": func(w http.ResponseWriter, _ *http.Request, self string) {
			write(w, map[string]any{"resource": self, "authorization_servers": []string{"https://10.11.12.13:5432"}})
		},
		"one of a name that there is not": func(w http.ResponseWriter, _ *http.Request, self string) {
			write(w, map[string]any{"resource": self, "authorization_servers": []string{"https://db-7.invalid"}})
		},
		"a description that is none": func(w http.ResponseWriter, r *http.Request, self string) {
			if strings.Contains(r.URL.Path, "protected-resource") {
				write(w, map[string]any{"resource": self, "authorization_servers": []string{self}})
				return
			}
			_, _ = w.Write([]byte(body))
		},
		"a registration that is refused": func(w http.ResponseWriter, r *http.Request, self string) {
			switch {
			case strings.Contains(r.URL.Path, "protected-resource"):
				write(w, map[string]any{"resource": self, "authorization_servers": []string{self}})
			case strings.Contains(r.URL.Path, "authorization-server"):
				write(w, map[string]any{
					"issuer": self, "authorization_endpoint": self + "/a", "token_endpoint": self + "/t", "registration_endpoint": self + "/register",
					"code_challenge_methods_supported": []string{"S256"}, "response_types_supported": []string{"code"},
				})
			default:
				w.WriteHeader(http.StatusBadRequest)
				_, _ = w.Write([]byte(`{"error":"invalid_client_metadata","error_description":"` + "password of db-7.internal is hunter2" + `"}`))
			}
		},
		"another resource": func(w http.ResponseWriter, _ *http.Request, self string) {
			write(w, map[string]any{"resource": "https://db-7.internal/hunter2", "authorization_servers": []string{self}})
		},
	} {
		t.Run(name, func(t *testing.T) {
			var self string
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { serve(w, r, self) }))
			defer server.Close()
			self = server.URL
			allowed, err := egress.ParseAllowedHosts("127.0.0.1")
			if err != nil {
				t.Fatal(err)
			}
			client := egress.NewClient(egress.Config{Policy: egress.Policy{Allowed: allowed}})
			defer client.CloseIdleConnections()
			o := NewOAuth(OAuthConfig{URL: self, Client: client, Store: &lockedStore{}, Name: "Fermata"})
			_, _, err = o.Begin(t.Context(), "https://fermata.example/back", "")
			known, ok := errors.AsType[*connectors.SignInError](err)
			if !ok || known.Message == "" {
				t.Fatalf("%v", err)
			}
			for _, secret := range []string{"10.11.12.13", "db-7", "hunter2", "127.0.0.1", "lookup", "dial", "\x1b", "5432", self} {
				if strings.Contains(known.Message, secret) {
					t.Errorf("%q names %q", known.Message, secret)
				}
			}
		})
	}
}
