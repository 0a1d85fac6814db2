package app

import "github.com/prometheus/client_golang/prometheus"

var (
	certificateEnds = prometheus.NewDesc("fermata_tls_certificate_expiry_timestamp_seconds",
		"When the TLS certificate ends that this server shows, in seconds since 1970.", nil, nil)
	certificateUnusable = prometheus.NewDesc("fermata_tls_certificate_unusable",
		"1 while the files of the TLS certificate cannot be used, and the one from before is shown on.", nil, nil)
)

// Describe is part of prometheus.Collector.
func (c *certificate) Describe(out chan<- *prometheus.Desc) {
	out <- certificateEnds
	out <- certificateUnusable
}

// Collect is part of prometheus.Collector.
func (c *certificate) Collect(out chan<- prometheus.Metric) {
	shown, unusable := c.look()
	bad := 0.0
	if unusable {
		bad = 1
	}
	out <- prometheus.MustNewConstMetric(certificateEnds, prometheus.GaugeValue, float64(shown.Leaf.NotAfter.Unix()))
	out <- prometheus.MustNewConstMetric(certificateUnusable, prometheus.GaugeValue, bad)
}
