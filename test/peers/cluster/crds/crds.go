// Package crds names the types of which
// controller-gen makes the definitions of ServiceMonitor and PrometheusRule.
package crds

import _ "github.com/prometheus-operator/prometheus-operator/pkg/apis/monitoring/v1"
