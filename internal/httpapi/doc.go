// Package httpapi is the HTTP side of a worker: metrics for Prometheus, health, the version, a copy
// of the model file, and single documents to classify.
//
//	GET  /metrics       Prometheus text or OpenMetrics
//	GET  /livez         200 as long as the process can answer
//	GET  /readyz        200 or 503, with the checks in JSON
//	GET  /version       JSON
//	GET  /v1/snapshot   a consistent copy of the model file
//	POST /v1/classify   a document record in, a decision out
//	GET  /              these, as a page
//
// There is no login. Whoever reaches the port may read the model, so it belongs on loopback or behind
// a proxy. On loopback a browser is the way in that is left: a page of a stranger whose name turns into
// 127.0.0.1 (DNS rebinding) could read the answers. Such requests carry the stranger's name in the
// header Host, and are refused.
//
// Metrics and Server know nothing of Kafka or of the store: a worker reports to the one and hands
// functions to the other.
package httpapi
