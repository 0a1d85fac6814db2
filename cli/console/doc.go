// Package console is a terminal whose lowest lines are typed into while answers come in above
// them. What is shown is plain text or Markdown of others; no control character in it reaches
// the terminal.
package console
