// Package golden compares generated texts with reviewed files.
package golden
