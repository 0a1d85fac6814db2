// Command ship creates the published artefacts: release archives with checksums and bills of materials, and
// container images without a container engine. Builds of the same commit are identical to the byte.
package main
