package doctor

import (
	"fmt"
	"net"
	"net/http"
	"os"

	"github.com/fermata-dev/fermata/cli/command"
)

// HealthCommand is the health check for container engines and supervisors: it needs no shell and no
// other program in an image.
type HealthCommand struct {
	URL    string `help:"URL of the server; default: derived from FERMATA_LISTEN." env:"FERMATA_URL"`
	Output string `help:"Output format: table or json." short:"o" default:"table" enum:"table,json"`
}

// Run makes one request, and fails unless the server is ready.
func (c *HealthCommand) Run(cc *command.Context) error {
	flags := command.ClientFlags{ServerFlags: command.ServerFlags{URL: c.URL}, Output: c.Output}
	own := flags.URL == ""
	if own {
		flags.URL = localURL(os.Getenv("FERMATA_LISTEN"), os.Getenv("FERMATA_TLS_CERT") != "")
	}
	client, err := flags.Client(cc)
	if err != nil {
		return err
	}
	if own {
		client.AskItself()
	}
	var health struct {
		Status string `json:"status"`
	}
	if err := client.Call(cc, http.MethodGet, "/readyz", nil, &health); err != nil {
		return err
	}
	if c.Output == "json" {
		return command.PrintJSON(cc.Out, health)
	}
	_, err = fmt.Fprintln(cc.Out, health.Status)
	return err
}

// localURL is the URL of a server on this machine that listens on the given address.
func localURL(listen string, withTLS bool) string {
	scheme := "http://"
	if withTLS {
		scheme = "https://"
	}
	host, port, err := net.SplitHostPort(listen)
	if err != nil {
		return scheme + "127.0.0.1:8080"
	}
	if ip := net.ParseIP(host); host == "" || ip != nil && ip.IsUnspecified() {
		host = "127.0.0.1"
	}
	return scheme + net.JoinHostPort(host, port)
}
