package main

import (
	"bayestream/bench/probe"
	"bytes"
	"context"
	"crypto/rand"
	"crypto/rsa"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"time"
)

// cluster is an API server with the etcd behind it, both on loopback.
type cluster struct {
	folder  string
	address string
	token   string
	client  *http.Client
	running []*exec.Cmd
}

// start starts etcd and the API server in a folder of their own, and waits until it is ready.
func start(ctx context.Context, bin string) (c *cluster, err error) {
	trusting := &tls.Config{InsecureSkipVerify: true} //nolint:gosec // on loopback, with a certificate of its own
	c = &cluster{token: rand.Text(), client: &http.Client{Timeout: 30 * time.Second,
		Transport: &http.Transport{TLSClientConfig: trusting}}}
	defer func() {
		if err != nil {
			err = errors.Join(err, c.stop())
		}
	}()
	c.folder, err = os.MkdirTemp("", "bayestream-kubernetes-")
	if err != nil {
		return c, err
	}
	if err := c.writeSecrets(); err != nil {
		return c, err
	}
	store, err := c.launchStore(ctx, bin)
	if err != nil {
		return c, err
	}
	address, err := probe.FreeAddress(ctx)
	if err != nil {
		return c, err
	}
	c.address = "https://" + address
	_, port, _ := net.SplitHostPort(address)
	if err := c.launch(ctx, filepath.Join(bin, "kube-apiserver"), "--etcd-servers="+store,
		"--cert-dir="+c.file("certificates"), "--bind-address=127.0.0.1", "--secure-port="+port,
		"--token-auth-file="+c.file("tokens"), "--authorization-mode=RBAC", "--service-account-issuer=https://here",
		"--service-account-key-file="+c.file("key"), "--service-account-signing-key-file="+c.file("key"),
		"--service-cluster-ip-range=10.0.0.0/24", "--disable-admission-plugins=ServiceAccount"); err != nil {
		return c, err
	}
	return c, c.wait(ctx, "/readyz")
}

// launchStore starts etcd and returns its address.
func (c *cluster) launchStore(ctx context.Context, bin string) (string, error) {
	clients, err := probe.FreeAddress(ctx)
	if err != nil {
		return "", err
	}
	peers, err := probe.FreeAddress(ctx)
	if err != nil {
		return "", err
	}
	clients = "http://" + clients
	peers = "http://" + peers
	return clients, c.launch(ctx, filepath.Join(bin, "etcd"), "--data-dir="+c.file("etcd"),
		"--listen-client-urls="+clients, "--advertise-client-urls="+clients, "--listen-peer-urls="+peers,
		"--initial-advertise-peer-urls="+peers, "--initial-cluster=default="+peers)
}

func (c *cluster) file(name string) string { return filepath.Join(c.folder, name) }

// writeSecrets writes the token of the only user, and the key that the server asks for.
func (c *cluster) writeSecrets() error {
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		return err
	}
	text := pem.EncodeToMemory(&pem.Block{Type: "RSA PRIVATE KEY", Bytes: x509.MarshalPKCS1PrivateKey(key)})
	user := c.token + ",test,test,system:masters\n"
	return errors.Join(os.WriteFile(c.file("key"), text, 0o600), os.WriteFile(c.file("tokens"), []byte(user), 0o600))
}

// launch starts a program; its log is in the folder.
func (c *cluster) launch(ctx context.Context, program string, arguments ...string) error {
	log, err := os.Create(c.file(filepath.Base(program) + ".log"))
	if err != nil {
		return err
	}
	defer func() { _ = log.Close() }()
	command := exec.CommandContext(context.WithoutCancel(ctx), program, arguments...) // stop ends it
	command.Stdout = log
	command.Stderr = log
	if err := command.Start(); err != nil {
		return err
	}
	c.running = append(c.running, command)
	return nil
}

// stop ends the programs, the last one first, and removes the folder.
func (c *cluster) stop() error {
	for i := len(c.running) - 1; i >= 0; i-- {
		_ = c.running[i].Process.Signal(syscall.SIGTERM)
		_ = c.running[i].Wait() // its exit code is that of a signal
	}
	return os.RemoveAll(c.folder)
}

// wait waits until a path answers 200.
func (c *cluster) wait(ctx context.Context, path string) error {
	ctx, cancel := context.WithTimeout(ctx, 3*time.Minute)
	defer cancel()
	for {
		err := c.ask(ctx, http.MethodGet, path, nil)
		if err == nil {
			return nil
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("%s is not there: %w", path, err)
		case <-time.After(time.Second):
		}
	}
}

// ask sends a request. The error is what the server says against it, also a warning.
func (c *cluster) ask(ctx context.Context, method, path string, body any) error {
	text, err := json.Marshal(body)
	if err != nil {
		return err
	}
	request, err := http.NewRequestWithContext(ctx, method, c.address+path, bytes.NewReader(text))
	if err != nil {
		return err
	}
	request.Header.Set("Authorization", "Bearer "+c.token)
	request.Header.Set("Content-Type", "application/json")
	response, err := c.client.Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	answer, err := io.ReadAll(io.LimitReader(response.Body, 1<<20))
	if err != nil {
		return err
	}
	if response.StatusCode >= http.StatusBadRequest {
		var status struct{ Message string }
		_ = json.Unmarshal(answer, &status) // another answer has no message
		return fmt.Errorf("%s: %s", response.Status, status.Message)
	}
	if warning := response.Header.Get("Warning"); warning != "" {
		return fmt.Errorf("a warning: %s", warning)
	}
	return nil
}
