package userdata_test

import (
	"bytes"
	"fmt"
	"image"
	"image/png"
	"io"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"unicode/utf16"

	"github.com/fermata-dev/fermata/handlers/servertest"
)

// aForm is a form with these parts, each a name, a file's name and what it holds.
func aForm(parts ...[3]string) string {
	var b strings.Builder
	for _, p := range parts {
		fmt.Fprintf(&b, "--edge\r\nContent-Disposition: form-data; name=%q; filename=%q\r\nContent-Type: application/octet-stream\r\n\r\n%s\r\n", p[0], p[1], p[2])
	}
	return b.String() + "--edge--\r\n"
}

func inUTF16(text string, mark ...byte) string {
	out := mark
	for _, unit := range utf16.Encode([]rune(text)) {
		out = append(out, byte(unit), byte(unit>>8))
	}
	return string(out)
}

// Whatever is uploaded has its clear answer, by what it is and not by what it is called.
func TestUploads(t *testing.T) {
	c := servertest.NewWorld(t).Serve(t)
	var picture bytes.Buffer
	if err := png.Encode(&picture, image.NewGray(image.Rect(0, 0, 7, 5))); err != nil {
		t.Fatal(err)
	}
	const isForm, isText = "multipart/form-data; boundary=edge", "text/plain"
	for name, x := range map[string]struct {
		status           int
		kind, body, want string // a code, or the media type with what it is called
	}{
		"a text":              {201, isForm, aForm([3]string{"file", "notes.md", "# Notes"}), "text/plain notes.md"},
		"a way up":            {201, isForm, aForm([3]string{"file", `..\..\windows\x.txt`, "x"}), "text/plain x.txt"},
		"a name of dots":      {201, isForm, aForm([3]string{"file", "..", "x"}), "text/plain file"},
		"a script":            {201, isForm, aForm([3]string{"file", "run.sh", "#!/bin/sh\nrm -rf /"}), "text/plain run.sh"},
		"an svg":              {201, isForm, aForm([3]string{"file", "x.svg", "<svg onload='alert(1)'/>"}), "text/plain x.svg"},
		"a picture":           {201, isForm, aForm([3]string{"file", "x.txt", picture.String()}), "image/png x.txt"},
		"a text as a picture": {201, isForm, aForm([3]string{"file", "x.png", "words"}), "text/plain x.png"},
		"a mark of UTF-8":     {201, isText, "\xef\xbb\xbfwords", "text/plain file"},
		"UTF-16":              {201, isText, inUTF16("wörds 😀", 0xff, 0xfe), "text/plain file"},
		"UTF-16, unmarked":    {415, isText, inUTF16("words"), "unsupported_file"},
		"UTF-16, cut":         {415, isText, inUTF16("words", 0xff, 0xfe) + "x", "unsupported_file"},
		"half a pair":         {415, isText, "\xff\xfe\x00\xd8a\x00", "unsupported_file"},
		"a pdf":               {415, "application/pdf", "%PDF-1.7\n\xe2\xe3\xcf\xd3", "unsupported_file"},
		"a program":           {415, "text/plain", "\x7fELF\x02\x01\x01\x00", "unsupported_file"},
		"a broken picture":    {422, "image/png", picture.String()[:40], "unreadable_file"},
		"nothing":             {400, "application/pdf", "", "empty_body"},
		"another part":        {422, isForm, aForm([3]string{"image", "x", "x"}), "invalid"},
		"no part":             {422, isForm, aForm(), "invalid"},
		"two parts":           {422, isForm, aForm([3]string{"file", "a", "a"}, [3]string{"file", "b", "b"}), "invalid"},
		"half a form":         {400, isForm, aForm([3]string{"file", "a", "abcdef"})[:110], "unreadable"},
		"no boundary":         {400, "multipart/form-data", "x", "unreadable"},
		"too large":           {413, isText, strings.Repeat("x", 10<<20+1), "too_large"},
		"too large a form":    {413, isForm, aForm([3]string{"file", "a", strings.Repeat("x", 10<<20+1)}), "too_large"},
		"far too large":       {413, isForm, aForm([3]string{"file", "a", strings.Repeat("x", 11<<20)}), "too_large"},
	} {
		r := c.Do("POST", "/v1/files", x.body, "Content-Type", x.kind)
		got, _ := r.Body["code"].(string)
		if r.Status == 201 {
			got = fmt.Sprint(r.Body["media_type"], " ", r.Body["name"])
		}
		if r.Status != x.status || got != x.want {
			t.Errorf("%s: %d %q, want %d %q: %.300s", name, r.Status, got, x.status, x.want, r.Text)
		}
		if r.Status == 201 && name == "UTF-16" {
			id, _ := r.Body["id"].(string)
			if kept := c.Want(200, "GET", "/v1/files/"+id, "").Text; kept != "wörds 😀" {
				t.Errorf("%s is kept as %q", name, kept)
			}
		}
	}
}

// endless is a body that never ends, and counts how much of it was taken.
type endless struct{ taken atomic.Int64 }

func (e *endless) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = 'x'
	}
	e.taken.Add(int64(len(p)))
	return len(p), nil
}

// TestAHugeUploadIsRefusedEarly verifies that an upload of a hundred megabytes is rejected as early as possible:
// immediately if its Content-Length is declared, otherwise at the limit.
func TestAHugeUploadIsRefusedEarly(t *testing.T) {
	c := servertest.NewWorld(t).Serve(t)
	for name, length := range map[string]int64{"with its length": 100 << 20, "without": -1} {
		body := &endless{}
		r, err := http.NewRequestWithContext(t.Context(), "POST", c.URL+"/v1/files", io.LimitReader(body, 100<<20))
		if err != nil {
			t.Fatal(err)
		}
		r.ContentLength = length
		r.Header.Set("Authorization", "Bearer root")
		r.Header.Set("Content-Type", "text/plain")
		res, err := http.DefaultTransport.RoundTrip(r)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		text, _ := io.ReadAll(res.Body)
		_ = res.Body.Close()
		if res.StatusCode != 413 || !strings.Contains(string(text), `"code":"too_large"`) || body.taken.Load() > 30<<20 {
			t.Errorf("%s: %d after %d bytes: %s", name, res.StatusCode, body.taken.Load(), text)
		}
	}
}

// The budget of a workspace is a setting, and what is over it is refused by its own code.
func TestTheBudgetOfFiles(t *testing.T) {
	c := servertest.NewWorld(t).Serve(t)
	c.Want(200, "PATCH", "/v1/settings", `{"file_budget":{"bytes":10,"count":2}}`, "If-Match", "*")
	c.Want(201, "POST", "/v1/files", "12345678", "Content-Type", "text/plain")
	c.Want(201, "POST", "/v1/files", "12345678", "Content-Type", "text/plain") // the same again takes no room
	if code := c.Want(409, "POST", "/v1/files", "12345678", "Content-Type", "text/plain").Body["code"]; code != "files_full" {
		t.Errorf("the third of two is refused by %v", code)
	}
	c.Want(200, "PATCH", "/v1/settings", `{"file_budget":{"count":null}}`, "If-Match", "*")
	if code := c.Want(409, "POST", "/v1/files", "abc", "Content-Type", "text/plain").Body["code"]; code != "files_full" {
		t.Errorf("eleven of ten bytes are refused by %v", code)
	}
}
