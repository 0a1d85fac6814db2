package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"mime"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strconv"

	"github.com/google/uuid"

	"github.com/fermata-dev/fermata/api"
)

// filesCommand manages files.
type filesCommand struct {
	List   filesList   `cmd:"" default:"withargs" help:"List the files, newest first."`
	Upload filesUpload `cmd:"" help:"Upload pictures and texts."`
	Get    filesGet    `cmd:"" help:"Download a file."`
	Delete filesDelete `cmd:"" help:"Delete a file permanently."`
}

type filesList struct {
	clientFlags `embed:""`
	Limit       int `help:"Maximum number of files." default:"50"`
}

var filesHead = []string{"ID", "NAME", "TYPE", "BYTES", "UPLOADED"}

func filesRow(f *api.File) []string {
	return []string{f.ID, printable(f.Name), string(f.MediaType), strconv.FormatInt(f.Bytes, 10), clockTime(f.CreatedAt)}
}

// Run prints the files.
func (c *filesList) Run(cc *Context) error {
	return printList(cc, &c.clientFlags, "/v1/files", url.Values{}, c.Limit, filesHead, filesRow)
}

type filesUpload struct {
	clientFlags `embed:""`
	Paths       []string `arg:"" name:"path" help:"The files; - reads the standard input."`
}

// Run uploads the files one by one, and prints the results.
func (c *filesUpload) Run(cc *Context) error {
	client, err := c.client(cc)
	if err != nil {
		return err
	}
	made := make([]*api.File, 0, len(c.Paths))
	for _, path := range c.Paths {
		f, err := client.upload(cc, path)
		if err != nil {
			return err
		}
		made = append(made, f)
	}
	if c.Output == "json" {
		return printJSON(cc.Out, made)
	}
	rows := make([][]string, len(made))
	for i, f := range made {
		rows[i] = filesRow(f)
	}
	return table(cc.Out, filesHead, rows)
}

// maxUpload is the server's limit for a file.
const maxUpload = 10 << 20

// upload sends a file. The server detects its type.
func (c *client) upload(cc *Context, path string) (*api.File, error) {
	content, err := readFile(cc, path, maxUpload)
	if err != nil {
		return nil, err
	}
	name := filepath.Base(path)
	if path == "-" {
		name = "standard input"
	}
	ctx, cancel := context.WithTimeout(cc, callTimeout)
	defer cancel()
	f, err := c.uploadContent(ctx, name, content, uuid.NewString())
	if err != nil {
		return nil, fmt.Errorf("upload %s: %w", path, err)
	}
	return f, nil
}

// uploadContent sends the content of a file.
func (c *client) uploadContent(ctx context.Context, name string, content []byte, idempotencyKey string) (*api.File, error) {
	response, err := c.sendAs(ctx, http.MethodPost, "/v1/files?name="+url.QueryEscape(name), "application/octet-stream", content,
		idempotencyKey, "application/json")
	if err != nil {
		return nil, err
	}
	defer func() { _ = response.Body.Close() }()
	var f api.File
	if err := json.NewDecoder(io.LimitReader(response.Body, maxAnswer)).Decode(&f); err != nil {
		return nil, fmt.Errorf("read the description of the uploaded file: %w", err)
	}
	return &f, nil
}

type oneFile struct {
	clientFlags `embed:""`
	File        string `arg:"" help:"The file's id."`
}

type filesGet struct {
	oneFile `embed:""`
	To      string `help:"Path to write to; - is the standard output. Default: the file's own name, in the current folder." type:"path"`
}

// Run downloads the file. An existing file is not overwritten.
func (c *filesGet) Run(cc *Context) error {
	client, err := c.client(cc)
	if err != nil {
		return err
	}
	response, err := client.send(cc, http.MethodGet, "/v1/files/"+url.PathEscape(c.File), nil, "", "*/*")
	if err != nil {
		return err
	}
	defer func() { _ = response.Body.Close() }()
	content := io.LimitReader(response.Body, maxAnswer)
	if filepath.Base(c.To) == "-" {
		_, err := io.Copy(cc.Out, content)
		return err
	}
	to := c.To
	if to == "" {
		_, params, err := mime.ParseMediaType(response.Header.Get("Content-Disposition"))
		if to = filepath.Base(filepath.Clean("/" + params["filename"])); err != nil || to == "/" || to == "." {
			to = c.File
		}
	}
	file, err := os.OpenFile(to, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return fmt.Errorf("create the file: %w", err)
	}
	_, err = io.Copy(file, content)
	if closed := file.Close(); err == nil {
		err = closed
	}
	if err != nil {
		return fmt.Errorf("write %s: %w", to, err)
	}
	if c.Output == "json" {
		return printJSON(cc.Out, map[string]string{"id": c.File, "file": to})
	}
	(&screen{out: cc.Out}).line("%s", to)
	return nil
}

type filesDelete struct {
	oneFile `embed:""`
}

// Run deletes the file.
func (c *filesDelete) Run(cc *Context) error {
	client, err := c.client(cc)
	if err != nil {
		return err
	}
	return deleted(cc, client, c.Output, "/v1/files", url.PathEscape(c.File), c.File)
}
