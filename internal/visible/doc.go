// Package visible shows what is invisible in a text: people must read before they approve what is really there. Characters that
// are not seen, or that change how others look, are escaped ("\u202e"). Letters of every script, joined emoji and typographic
// spaces in their usual places are kept.
package visible
