package cli

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"

	"github.com/google/uuid"

	"github.com/fermata-dev/fermata/api"
	"github.com/fermata-dev/fermata/cli/command"
	"github.com/fermata-dev/fermata/cli/remote"
	"github.com/fermata-dev/fermata/internal/shorten"
)

// dataCommand manages the user's data.
type dataCommand struct {
	Zones     dataZones     `cmd:"" default:"withargs" help:"List the zones."`
	Tools     dataTools     `cmd:"" help:"List the tools, of one zone or of all."`
	Entries   dataEntries   `cmd:"" help:"List a tool's entries, newest first."`
	Documents dataDocuments `cmd:"" help:"List the documents."`
	Add       dataAdd       `cmd:"" help:"Add an entry to a tool."`
	Export    dataExport    `cmd:"" help:"Write all entries of a tool as CSV."`
	Import    dataImport    `cmd:"" help:"Add and change entries from a CSV file, all or none."`
}

type dataZones struct {
	command.ClientFlags `embed:""`
}

// Run prints the zones.
func (c *dataZones) Run(cc *command.Context) error {
	head := []string{"ID", "NAME", "DESCRIPTION"}
	return command.PrintList(cc, &c.ClientFlags, "/v1/zones", url.Values{}, remote.Everything, head, func(z *api.Zone) []string {
		return []string{z.ID, shorten.Characters(z.Name, 40), shorten.Characters(z.Description, 60)}
	})
}

type dataTools struct {
	command.ClientFlags `embed:""`
	Zone                string `help:"Only the tools of a zone: its id or name."`
}

// Run prints the tools.
func (c *dataTools) Run(cc *command.Context) error {
	query := url.Values{}
	if c.Zone != "" {
		client, err := c.Client(cc)
		if err != nil {
			return err
		}
		zone, err := command.FindNamed(cc, client, "/v1/zones", c.Zone, "zone", "fermata data zones",
			func(z *api.Zone) (id, name string) { return z.ID, z.Name })
		if err != nil {
			return err
		}
		query.Set("zone_id", zone.ID)
	}
	head := []string{"ID", "TYPE", "ZONE", "NAME"}
	return command.PrintList(cc, &c.ClientFlags, "/v1/tools", query, remote.Everything, head, func(t *api.Tool) []string {
		return []string{t.ID, t.ToolType, t.ZoneID, shorten.Characters(t.Name, 50)}
	})
}

type dataDocuments struct {
	command.ClientFlags `embed:""`
}

// Run prints the documents.
func (c *dataDocuments) Run(cc *command.Context) error {
	head := []string{"ID", "KEY", "PUBLISHED", "TITLE"}
	return command.PrintList(cc, &c.ClientFlags, "/v1/documents", url.Values{}, remote.Everything, head, func(d *api.Document) []string {
		return []string{d.ID, d.Key, command.OrNever(d.PublishedAt), shorten.Characters(d.Title, 50)}
	})
}

// toolNamed selects a tool.
type toolNamed struct {
	command.ClientFlags `embed:""`
	Tool                string `arg:"" help:"The tool's id or name."`
}

func (c *toolNamed) find(cc *command.Context) (*remote.Client, *api.Tool, error) {
	client, err := c.Client(cc)
	if err != nil {
		return nil, nil, err
	}
	one, err := command.FindNamed(cc, client, "/v1/tools", c.Tool, "tool", "fermata data tools",
		func(t *api.Tool) (id, name string) { return t.ID, t.Name })
	return client, one, err
}

type dataEntries struct {
	toolNamed
	Limit int `help:"Maximum number of entries." default:"50"`
}

// Run prints the entries.
func (c *dataEntries) Run(cc *command.Context) error {
	_, tool, err := c.find(cc)
	if err != nil {
		return err
	}
	path := "/v1/tools/" + tool.ID + "/entries"
	return command.PrintList(cc, &c.ClientFlags, path, url.Values{}, c.Limit, []string{"ID", "TIME", "DATA"}, func(e *api.Entry) []string {
		return []string{e.ID, command.ClockTime(e.Timestamp), shorten.Characters(string(e.Data), 100)}
	})
}

type dataAdd struct {
	toolNamed
	Data string `arg:"" help:"The entry's data as a JSON object, for example '{\"value\": 7.5}'."`
}

// Run adds an entry.
func (c *dataAdd) Run(cc *command.Context) error {
	if !json.Valid([]byte(c.Data)) {
		return command.Misused(fmt.Errorf("%s is not JSON", c.Data))
	}
	client, tool, err := c.find(cc)
	if err != nil {
		return err
	}
	var made api.Entry
	ask := map[string]any{"data": json.RawMessage(c.Data)}
	if err := client.Call(cc, http.MethodPost, "/v1/tools/"+tool.ID+"/entries", ask, &made); err != nil {
		return err
	}
	if c.Output == "json" {
		return command.PrintJSON(cc.Out, made)
	}
	s := command.Screen{Out: cc.Out}
	s.Line("%s %s %s", made.ID, command.ClockTime(made.Timestamp), string(made.Data))
	return nil
}

type dataExport struct{ toolNamed }

// Run streams the file to the output.
func (c *dataExport) Run(cc *command.Context) error {
	client, tool, err := c.find(cc)
	if err != nil {
		return err
	}
	response, err := client.Send(cc, http.MethodGet, "/v1/tools/"+tool.ID+"/entries", nil, "", "text/csv")
	if err != nil {
		return err
	}
	defer func() { _ = response.Body.Close() }()
	if _, err := io.Copy(cc.Out, response.Body); err != nil {
		return fmt.Errorf("the file is incomplete: %w", err)
	}
	return nil
}

// maxImport is the API's limit for a file, in bytes.
const maxImport = 8 << 20

type dataImport struct {
	toolNamed
	File   string `arg:"" help:"The file; - reads the standard input."`
	DryRun bool   `help:"Only print what would be changed."`
}

// Run imports the file.
func (c *dataImport) Run(cc *command.Context) error {
	client, tool, err := c.find(cc)
	if err != nil {
		return err
	}
	text, err := command.ReadFile(cc, c.File, maxImport)
	if err != nil {
		return err
	}
	path := "/v1/tools/" + tool.ID + "/entries/import"
	if c.DryRun {
		path += "?dry_run=true"
	}
	response, err := client.SendAs(cc, http.MethodPost, path, "text/csv", text, uuid.NewString(), "application/json")
	if err != nil {
		return err
	}
	defer func() { _ = response.Body.Close() }()
	var done json.RawMessage
	if err := json.NewDecoder(io.LimitReader(response.Body, remote.MaxAnswer)).Decode(&done); err != nil {
		return fmt.Errorf("read the result: %w", err)
	}
	return command.PrintJSON(cc.Out, done)
}
