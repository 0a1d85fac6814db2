package cli

import (
	"fmt"
	"net/url"
	"os"
	"reflect"
	"slices"
	"strings"

	"github.com/alecthomas/kong"
)

// ConfigCommand shows with what a server of this machine would be started; T is its
// configuration.
type ConfigCommand[T any] struct {
	Print printConfig[T] `cmd:"" default:"withargs" help:"Print every setting, its value, and where that comes from. Secrets are not shown."`
}

type printConfig[T any] struct {
	Server T      `embed:""`
	Output string `help:"table or json." short:"o" default:"table" enum:"table,json"`
}

// setting is one line of what is printed.
type setting struct {
	Name   string `json:"name"` // of the variable
	Flag   string `json:"flag"`
	Value  string `json:"value"`
	Source string `json:"source"`
}

// Run prints. Flags that stand behind the command count as they would behind serve.
func (c *printConfig[T]) Run(cc *Context, parsed *kong.Context) error {
	file, err := fileOf(parsed)
	if err != nil {
		return err
	}
	var all []setting
	for _, flag := range parsed.Selected().Flags {
		if len(flag.Envs) == 0 || flag.Hidden {
			continue // of this command, not of the server
		}
		all = append(all, setting{Name: flag.Envs[0], Flag: "--" + flag.Name, Value: shown(flag), Source: sourceOf(parsed, flag, file)})
	}
	slices.SortFunc(all, func(a, b setting) int { return strings.Compare(a.Name, b.Name) })
	if c.Output == "json" {
		return printJSON(cc.Out, all)
	}
	rows := make([][]string, len(all))
	for i, s := range all {
		rows[i] = []string{s.Name, s.Value, s.Source}
	}
	return table(cc.Out, []string{"SETTING", "VALUE", "SOURCE"}, rows)
}

// fileOf is the configuration file that was named, read again; empty without one.
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

// sourceOf says what gave a flag its value: the first of these that names it.
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

// shown is a flag's value for people. What is secret is only said to be there.
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

// harmless are the parameters of a database's URL whose values are no secrets. Every other one is
// hidden: passwords have many names (password, sslpassword, api-key, token).
var harmless = []string{
	"sslmode", "sslrootcert", "sslcert", "sslkey", "host", "hostaddr", "port", "dbname", "user", "application_name", "connect_timeout",
	"target_session_attrs", "load_balance_hosts", "channel_binding", "search_path",
}

// redacted is a URL without its password and without the values of parameters that may be secret.
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
