// Package ai holds what a call of a model is made of, in no provider's terms: prompts, their turns and their files.
package ai
