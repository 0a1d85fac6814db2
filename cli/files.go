package cli

import (
	"fmt"
	"io"
	"mime"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strconv"

	"github.com/fermata-dev/fermata/api"
	"github.com/fermata-dev/fermata/cli/command"
	"github.com/fermata-dev/fermata/cli/remote"
)

// filesCommand manages files.
type filesCommand struct {
	List   filesList   `cmd:"" default:"withargs" help:"List the files, newest first."`
	Upload filesUpload `cmd:"" help:"Upload pictures and texts."`
	Get    filesGet    `cmd:"" help:"Download a file."`
	Delete filesDelete `cmd:"" help:"Delete a file permanently."`
}

type filesList struct {
	command.ClientFlags `embed:""`
	Limit               int `help:"Maximum number of files." default:"50"`
}

var filesHead = []string{"ID", "NAME", "TYPE", "BYTES", "UPLOADED"}

func filesRow(f *api.File) []string {
	return []string{f.ID, command.Printable(f.Name), string(f.MediaType), strconv.FormatInt(f.Bytes, 10), command.ClockTime(f.CreatedAt)}
}

// Run prints the files.
func (c *filesList) Run(cc *command.Context) error {
	return command.PrintList(cc, &c.ClientFlags, "/v1/files", url.Values{}, c.Limit, filesHead, filesRow)
}

type filesUpload struct {
	command.ClientFlags `embed:""`
	Paths               []string `arg:"" name:"path" help:"The files; - reads the standard input."`
}

// Run uploads the files one by one, and prints the results.
func (c *filesUpload) Run(cc *command.Context) error {
	client, err := c.Client(cc)
	if err != nil {
		return err
	}
	made := make([]*api.File, 0, len(c.Paths))
	for _, path := range c.Paths {
		f, err := command.Upload(cc, client, path)
		if err != nil {
			return err
		}
		made = append(made, f)
	}
	if c.Output == "json" {
		return command.PrintJSON(cc.Out, made)
	}
	rows := make([][]string, len(made))
	for i, f := range made {
		rows[i] = filesRow(f)
	}
	return command.Table(cc.Out, filesHead, rows)
}

type oneFile struct {
	command.ClientFlags `embed:""`
	File                string `arg:"" help:"The file's id."`
}

type filesGet struct {
	oneFile `embed:""`
	To      string `help:"Path to write to; - is the standard output. Default: the file's own name, in the current folder." type:"path"`
}

// Run downloads the file. An existing file is not overwritten.
func (c *filesGet) Run(cc *command.Context) error {
	client, err := c.Client(cc)
	if err != nil {
		return err
	}
	response, err := client.Send(cc, http.MethodGet, "/v1/files/"+url.PathEscape(c.File), nil, "", "*/*")
	if err != nil {
		return err
	}
	defer func() { _ = response.Body.Close() }()
	content := io.LimitReader(response.Body, remote.MaxAnswer)
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
		return command.PrintJSON(cc.Out, map[string]string{"id": c.File, "file": to})
	}
	(&command.Screen{Out: cc.Out}).Line("%s", to)
	return nil
}

type filesDelete struct {
	oneFile `embed:""`
}

// Run deletes the file.
func (c *filesDelete) Run(cc *command.Context) error {
	client, err := c.Client(cc)
	if err != nil {
		return err
	}
	return command.Delete(cc, client, c.Output, "/v1/files", url.PathEscape(c.File), c.File)
}
