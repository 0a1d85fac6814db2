package acp

import (
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"strconv"
	"strings"
	"testing"

	"github.com/fermata-dev/fermata/api"
)

// lister is a server that has these sessions, each with an id and an external id.
type lister struct {
	Server
	sessions []api.Session
	limit    int
}

func (l *lister) Call(_ context.Context, _, path string, _, out any) error {
	u, err := url.Parse(path)
	if err != nil {
		return fmt.Errorf("parse the address: %w", err)
	}
	from := 0
	if after := u.Query().Get("after"); after != "" {
		if from, err = strconv.Atoi(after); err != nil {
			return fmt.Errorf("read the cursor: %w", err)
		}
	}
	page, to := out.(*api.SessionList), min(from+l.limit, len(l.sessions))
	page.Data = l.sessions[from:to]
	if to < len(l.sessions) {
		page.NextCursor = new(strconv.Itoa(to))
	}
	return nil
}

// listed returns the ids and folders of one page of the list.
func listed(t *testing.T, l *lister, params string) (text, cursor string) {
	t.Helper()
	then, err := (&Agent{Server: l, Folder: "/started/here"}).list(t.Context(), json.RawMessage(params))
	if err != nil {
		return "refused", ""
	}
	result, err := then(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	for _, info := range result.(fields)["sessions"].([]fields) {
		all = append(all, fmt.Sprint(info["sessionId"], " in ", info["cwd"]))
	}
	cursor, _ = result.(fields)["nextCursor"].(string)
	return strings.Join(all, ", "), cursor
}

// session/list returns the sessions of the wanted folder, and those that belong to none.
func TestListOfAFolder(t *testing.T) {
	l := &lister{limit: 2}
	add := func(id, folder string) {
		s := api.Session{ID: id}
		if external, ok := newSessionIn(folder)["external_id"].(string); ok {
			s.ExternalID = &external
		}
		l.sessions = append(l.sessions, s)
	}
	add("a", "/home/ada/one")
	add("b", "/home/ada/two/")
	add("c", "")
	add("d", `C:\work\`)
	add("long", "/"+strings.Repeat("x", 300))
	l.sessions = append(l.sessions, api.Session{ID: "chat", ExternalID: new("a name of another client")})
	for params, want := range map[string]string{
		`{}`:                          "a in /home/ada/one, b in /home/ada/two, c in /started/here, d in C:\\work, long in /started/here, chat in /started/here",
		`{"cwd": "/home/ada/one"}`:    "a in /home/ada/one, c in /home/ada/one, long in /home/ada/one, chat in /home/ada/one",
		`{"cwd": "/home/ada/two"}`:    "b in /home/ada/two, c in /home/ada/two, long in /home/ada/two, chat in /home/ada/two",
		`{"cwd": "/home/ada/./one/"}`: "a in /home/ada/one, c in /home/ada/./one/, long in /home/ada/./one/, chat in /home/ada/./one/",
		`{"cwd": "C:\\work"}`:         "c in C:\\work, d in C:\\work, long in C:\\work, chat in C:\\work",
		`{"cwd": "/home/ada"}`:        "c in /home/ada, long in /home/ada, chat in /home/ada",
		`{"cwd": "one"}`:              "refused",
	} {
		if got, cursor := listed(t, l, params); got != want || cursor != "" {
			t.Errorf("%s:\n%s (%q), want\n%s", params, got, cursor, want)
		}
	}
}

// Pages without a match are skipped, up to a bound; the cursor continues behind them.
func TestListSkipsOtherFolders(t *testing.T) {
	l := &lister{limit: 50}
	other, own := newSessionIn("/other")["external_id"].(string), newSessionIn("/own")["external_id"].(string)
	for range maxSessionPages*l.limit + 10 {
		l.sessions = append(l.sessions, api.Session{ID: "x", ExternalID: &other})
	}
	l.sessions = append(l.sessions, api.Session{ID: "wanted", ExternalID: &own})
	first, cursor := listed(t, l, `{"cwd": "/own"}`)
	if first != "" || cursor == "" {
		t.Fatalf("the first page is %q, and its cursor %q", first, cursor)
	}
	if rest, end := listed(t, l, `{"cwd": "/own", "cursor": "`+cursor+`"}`); rest != "wanted in /own" || end != "" {
		t.Errorf("the second page is %q, and its cursor %q", rest, end)
	}
}
