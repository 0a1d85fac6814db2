package harness

import (
	"io"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"
)

var (
	linkKey  = regexp.MustCompile(`data-key="([^"]+)"`)
	linkTime = regexp.MustCompile(`name="at" value="([^"]+)"`)
)

// Press opens a link to an approval as a browser does, presses a button, and gives the status of
// the answer; 0: there is no form, or no answer came.
func Press(t testing.TB, link, answer string) int {
	t.Helper()
	browser := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	page, cookie := open(t, browser, link)
	key, at := linkKey.FindStringSubmatch(page), linkTime.FindStringSubmatch(page)
	if key == nil || at == nil {
		return 0
	}
	nonce := []byte(key[1])
	for i := range nonce {
		nonce[i] = key[1][len(key[1])-1-i]
	}
	form := url.Values{"at": {at[1]}, "nonce": {string(nonce)}, "answer": {answer}}
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, link, strings.NewReader(form.Encode()))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	r.Header.Set("Cookie", cookie)
	res, err := browser.Do(r)
	if err != nil {
		return 0 // the server died
	}
	_ = res.Body.Close()
	return res.StatusCode
}

// open gives the page of a link, and the cookie that came with it.
func open(t testing.TB, browser *http.Client, link string) (page, cookie string) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, link, nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Accept", "text/html")
	res, err := browser.Do(r)
	if err != nil {
		return "", ""
	}
	defer func() { _ = res.Body.Close() }()
	text, err := io.ReadAll(res.Body)
	if err != nil {
		return "", ""
	}
	for _, c := range res.Cookies() {
		cookie = c.Name + "=" + c.Value
	}
	return string(text), cookie
}
