// Package httpapi is the HTTP side of a worker: metrics for Prometheus, health, the version, a copy
// of the model file, and single documents to classify.
//
//	GET  /metrics       Prometheus text or OpenMetrics
//	GET  /livez         200 while the process answers
//	GET  /readyz        200 or 503, with the checks in JSON
//	GET  /version       JSON
//	GET  /v1/snapshot   a consistent copy of the model file
//	POST /v1/classify   a document record in, a decision out
//	POST /v1/labels     a label for a document, or null to forget it
//	GET  /v1/decisions/ID  the recent decision on a document
//	GET  /              a page of these
//
// Reading needs no authentication. Anyone who can connect can read the model, so the port belongs
// on loopback or behind a proxy. Writing, which is /v1/labels, needs a token beyond loopback. On
// loopback a browser could still be used: the page of a foreign site whose name resolves to
// 127.0.0.1 (DNS rebinding) could read the answers. Such requests have the foreign name in the
// header Host and are refused. So is what such a page could send without reading the answer: a
// POST, or the order to make a snapshot.
//
// Metrics and Server depend neither on Kafka nor on the store: a worker reports to the one and
// gives functions to the other.
package httpapi
