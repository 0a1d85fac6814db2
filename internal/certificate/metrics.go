package certificate

import "github.com/prometheus/client_golang/prometheus"

var (
	certificateEnds = prometheus.NewDesc("fermata_tls_certificate_expiry_timestamp_seconds",
		"Expiry time of the TLS certificate in use, in seconds since 1970.", nil, nil)
	certificateUnusable = prometheus.NewDesc("fermata_tls_certificate_unusable",
		"1 while the files of a new TLS certificate cannot be used and the previous one stays in use.", nil, nil)
)

// Describe implements prometheus.Collector.
func (c *Certificate) Describe(out chan<- *prometheus.Desc) {
	out <- certificateEnds
	out <- certificateUnusable
}

// Collect implements prometheus.Collector.
func (c *Certificate) Collect(out chan<- prometheus.Metric) {
	shown, unusable := c.look()
	bad := 0.0
	if unusable {
		bad = 1
	}
	out <- prometheus.MustNewConstMetric(certificateEnds, prometheus.GaugeValue, float64(shown.Leaf.NotAfter.Unix()))
	out <- prometheus.MustNewConstMetric(certificateUnusable, prometheus.GaugeValue, bad)
}
