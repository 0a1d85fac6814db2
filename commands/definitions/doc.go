// Package definitions has what models read of the params of commands: with the params of every action, or short. It decides
// which external commands are offered by name only.
package definitions
