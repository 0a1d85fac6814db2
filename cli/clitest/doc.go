// Package clitest is for the tests of commands: a server that replies what a test defines, and an environment.
package clitest
