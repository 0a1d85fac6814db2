package edge

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
)

func TestPublicPath(t *testing.T) {
	for public, want := range map[string]publicPath{
		"": "", "https://a.example": "", "https://a.example/": "", "https://a.example/x/": "/x", "https://a.example/x/y": "/x/y",
	} {
		if got := publicPathOf(public); got != want {
			t.Errorf("%q: %q", public, got)
		}
	}
	for path, want := range map[string]string{
		"/x": "/", "/x/": "/", "/x/#/a": "/#/a", "/x#/a": "/#/a", "/xy": "/xy", "/#/a": "/#/a", "/": "/", "//b.example": "//b.example", "": "",
	} {
		if got := publicPath("/x").Trim(path); got != want {
			t.Errorf("trim %q: %q", path, got)
		}
	}
	for path, want := range map[string]string{"/x/a%2Fb": "/a/b %2F", "/x/a/b": "/a/b ", "/y/x/a": "/y/x/a ", "/x/": "/ ", "/x//b": "//b "} {
		r := &http.Request{Method: http.MethodPost, URL: &url.URL{}}
		var err error
		if r.URL, err = url.Parse(path); err != nil {
			t.Fatal(err)
		}
		got, _ := publicPath("/x").strip(r)
		escaped := ""
		if strings.Contains(got.URL.EscapedPath(), "%2F") {
			escaped = "%2F"
		}
		if got.URL.Path+" "+escaped != want || r.URL.String() != path {
			t.Errorf("strip %q: %q, and the request is changed to %q", path, got.URL.Path, r.URL)
		}
	}
	header := http.Header{}
	for to, want := range map[string]string{
		"/a/b": "/x/a/b", "https://c.example/": "https://c.example/", "//c.example": "//c.example", "": "",
	} {
		header.Set("Location", to)
		if publicPath("/x").redirect(header); header.Get("Location") != want {
			t.Errorf("redirect %q: %q", to, header.Get("Location"))
		}
	}
}
