// Package harness tells stories through the real server: it starts one on a free port,
// calls its API and holds every answer against the contract. The stories stand beside it,
// one package for each theme.
package harness
