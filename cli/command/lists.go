package command

import (
	"net/url"

	"github.com/fermata-dev/fermata/cli/remote"
)

// PrintList prints a list of the server as JSON or as a table.
func PrintList[T any](cc *Context, f *ClientFlags, path string, query url.Values, limit int, head []string, row func(*T) []string) error {
	client, err := f.Client(cc)
	if err != nil {
		return err
	}
	all, err := remote.List[T](cc, client, path, query, limit)
	if err != nil {
		return err
	}
	return PrintRows(cc, f, all, head, row)
}

// PrintRows prints a list that has been read.
func PrintRows[T any](cc *Context, f *ClientFlags, all []T, head []string, row func(*T) []string) error {
	if f.Output == "json" {
		return PrintJSON(cc.Out, all)
	}
	rows := make([][]string, len(all))
	for i := range all {
		rows[i] = row(&all[i])
	}
	return Table(cc.Out, head, rows)
}
