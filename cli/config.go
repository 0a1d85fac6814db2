package cli

import (
	"fmt"
	"net/url"
	"os"
	"reflect"
	"slices"
	"strings"

	"github.com/alecthomas/kong"

	"github.com/fermata-dev/fermata/cli/command"
)

// ConfigCommand shows the configuration of a server on this machine; T is its type.
type ConfigCommand[T any] struct {
	Print printConfig[T] `cmd:"" default:"withargs" help:"Print every setting, its value and its source. Secrets are not shown."`
}

type printConfig[T any] struct {
	Server T      `embed:""`
	Output string `help:"Output format: table or json." short:"o" default:"table" enum:"table,json"`
}

// setting is one line of what is printed.
type setting struct {
	Name   string `json:"name"` // of the variable
	Flag   string `json:"flag"`
	Value  string `json:"value"`
	Source string `json:"source"`
}

// Run prints the configuration. Flags after the command count as they would after serve.
func (c *printConfig[T]) Run(cc *command.Context, parsed *kong.Context) error {
	file, err := fileOf(parsed)
	if err != nil {
		return err
	}
	var all []setting
	for _, flag := range parsed.Selected().Flags {
		if len(flag.Envs) == 0 || flag.Hidden {
			continue // a flag of this command, not of the server
		}
		all = append(all, setting{Name: flag.Envs[0], Flag: "--" + flag.Name, Value: shown(flag), Source: sourceOf(parsed, flag, file)})
	}
	slices.SortFunc(all, func(a, b setting) int { return strings.Compare(a.Name, b.Name) })
	if c.Output == "json" {
		return command.PrintJSON(cc.Out, all)
	}
	rows := make([][]string, len(all))
	for i, s := range all {
		rows[i] = []string{s.Name, s.Value, s.Source}
	}
	return command.Table(cc.Out, []string{"SETTING", "VALUE", "SOURCE"}, rows)
}

// fileOf reads the configuration file again; empty without one.
func fileOf(parsed *kong.Context) (configFile, error) {
	for _, flag := range parsed.Model.Flags {
		path, named := parsed.FlagValue(flag).(kong.ConfigFlag)
		if !named || path == "" {
			continue
		}
		f, err := os.Open(kong.ExpandPath(string(path)))
		if err != nil {
			return nil, fmt.Errorf("read the configuration file: %w", err)
		}
		defer func() { _ = f.Close() }()
		resolver, err := ReadConfigFile(f)
		if err != nil {
			return nil, err
		}
		return resolver.(configFile), nil
	}
	return configFile{}, nil
}

// sourceOf returns the source of a flag's value, by precedence.
func sourceOf(parsed *kong.Context, flag *kong.Flag, file configFile) string {
	for _, step := range parsed.Path {
		if step.Flag == flag && !step.Resolved {
			return "command line"
		}
	}
	for _, name := range flag.Envs {
		if _, set := os.LookupEnv(name); set {
			return "environment"
		}
		if path, set := os.LookupEnv(name + "_FILE"); set && path != "" {
			return "file " + path
		}
	}
	if _, set := file[fileKey(flag.Name)]; set {
		return "configuration file"
	}
	return "default"
}

// shown is a flag's value for display. Of a secret it only shows that it is set.
func shown(flag *kong.Flag) string {
	value := ""
	switch target := flag.Target; {
	case target.Kind() != reflect.Pointer:
		value = fmt.Sprint(target.Interface())
	case !target.IsNil():
		value = fmt.Sprint(target.Elem().Interface())
	}
	if list, isList := reflect.TypeAssert[[]string](flag.Target); isList {
		value = strings.Join(list, ",")
	}
	switch flag.Tag.Get("secret") {
	case "":
		return value
	case "url":
		if u, err := url.Parse(value); err == nil && value != "" && u.Host != "" {
			return redacted(u)
		}
	}
	if value == "" {
		return ""
	}
	return "(set, not shown)"
}

// harmless are the parameters of a database URL that are no secrets. All others are hidden: passwords have
// many names (password, sslpassword, api-key, token).
var harmless = []string{
	"sslmode", "sslrootcert", "sslcert", "sslkey", "host", "hostaddr", "port", "dbname", "user", "application_name", "connect_timeout",
	"target_session_attrs", "load_balance_hosts", "channel_binding", "search_path",
}

// redacted is a URL without its password and without parameters that may be secret.
func redacted(u *url.URL) string {
	shown := *u
	var params []string
	for pair := range strings.SplitSeq(u.RawQuery, "&") {
		name, _, has := strings.Cut(pair, "=")
		if has && !slices.Contains(harmless, name) {
			pair = name + "=xxxxx"
		}
		params = append(params, pair)
	}
	shown.RawQuery, shown.Fragment, shown.RawFragment = strings.Join(params, "&"), "", ""
	return shown.Redacted()
}
