// Package security tests the client and the workers against a real broker with TLS, SASL and an
// authorizer. The certificates, users and tokens are made for each run. The tests need the tag
// kafka; test/kafka/run.sh sets it.
package security
