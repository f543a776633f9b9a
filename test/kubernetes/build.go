package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
)

// Versions of what is built, and of the modules that define more kinds.
const (
	kubernetes = "v1.36.3"
	staging    = "v0.36.3" // of the parts of Kubernetes that are modules
	etcd       = "v3.6.16"
	kustomize  = "v5.8.1"
	keda       = "github.com/kedacore/keda/v2@v2.21.0"
	prometheus = "github.com/prometheus-operator/prometheus-operator@v0.85.0"
)

// binaries returns a folder with kube-apiserver, etcd and kustomize. Each is built in a module of
// its own, so that what they need is never in the go.mod of Bayestream.
func binaries(ctx context.Context) (string, error) {
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", err
	}
	bin := filepath.Join(cache, "bayestream", "kubernetes-"+kubernetes)
	if err := os.MkdirAll(bin, 0o700); err != nil {
		return "", err
	}
	module, err := serverModule(ctx)
	if err != nil {
		return "", err
	}
	for _, b := range []struct{ name, path, module string }{
		{"kube-apiserver", "k8s.io/kubernetes/cmd/kube-apiserver", module},
		{"etcd", "go.etcd.io/etcd/server/v3", "require go.etcd.io/etcd/server/v3 " + etcd},
		{"kustomize", "sigs.k8s.io/kustomize/kustomize/v5", "require sigs.k8s.io/kustomize/kustomize/v5 " + kustomize},
	} {
		if err := build(ctx, filepath.Join(bin, b.name), b.path, "module built\n\ngo 1.26\n\n"+b.module+"\n"); err != nil {
			return "", fmt.Errorf("build %s: %w", b.name, err)
		}
	}
	return bin, nil
}

// build builds the package at path with the versions of a module, unless the file is there.
func build(ctx context.Context, file, path, module string) error {
	if _, err := os.Stat(file); err == nil {
		return nil
	}
	folder, err := os.MkdirTemp("", "bayestream-kubernetes-")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(folder) }()
	imported := "//go:build never\n\npackage built\n\nimport _ \"" + path + "\"\n"
	for name, text := range map[string]string{"go.mod": module, "built.go": imported} {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600); err != nil {
			return err
		}
	}
	fmt.Println("building", filepath.Base(file))
	for _, arguments := range [][]string{{"mod", "tidy"}, {"build", "-p", "1", "-o", file, path}} {
		command := exec.CommandContext(ctx, "go", arguments...)
		command.Dir = folder
		if out, err := command.CombinedOutput(); err != nil {
			return fmt.Errorf("go %s: %w\n%s", strings.Join(arguments, " "), err, out)
		}
	}
	return nil
}

// unpublished matches a part of Kubernetes in its go.mod, which names a folder beside it.
var unpublished = regexp.MustCompile(`(?m)^\t(k8s\.io/[a-z-]+) v0\.0\.0$`)

// serverModule returns the lines of a go.mod in which the parts of Kubernetes are modules of the proxy.
func serverModule(ctx context.Context) (string, error) {
	m, err := download(ctx, "k8s.io/kubernetes@"+kubernetes)
	if err != nil {
		return "", err
	}
	text, err := os.ReadFile(m.GoMod)
	if err != nil {
		return "", err
	}
	var out strings.Builder
	out.WriteString("require k8s.io/kubernetes " + kubernetes + "\n\n")
	for _, part := range unpublished.FindAllSubmatch(text, -1) {
		fmt.Fprintf(&out, "replace %s => %[1]s %s\n", part[1], staging)
	}
	return out.String(), nil
}

// downloaded says where a module is.
type downloaded struct{ Dir, GoMod string }

func download(ctx context.Context, module string) (m downloaded, err error) {
	command := exec.CommandContext(ctx, "go", "mod", "download", "-json", module)
	command.Dir = os.TempDir() // outside of this module
	out, err := command.Output()
	if err != nil {
		return m, fmt.Errorf("go mod download %s: %w", module, err)
	}
	return m, json.NewDecoder(bytes.NewReader(out)).Decode(&m)
}
