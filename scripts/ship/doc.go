// Command ship makes what is given to strangers: release archives with their checksums and
// bills of materials, and container images without a container engine. What it makes of the
// same commit is the same to the byte.
package main
