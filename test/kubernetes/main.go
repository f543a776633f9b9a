// Command kubernetes asks a real API server whether it would take each object of deploy/kubernetes:
//
//	go run ./test/kubernetes
//
// It builds kube-apiserver, etcd and kustomize from the proxy of Go modules into the user's cache,
// the first time in ten minutes and more. No pod runs: requests are dry runs, in which no field may
// be unknown, in a namespace with the restricted policy for pods. The kinds of the Prometheus
// operator and of KEDA come from the definitions in their modules.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"

	"bayestream/bench/program"
)

// manifests is the folder of the base.
const manifests = "deploy/kubernetes"

func main() {
	program.Run("kubernetes", run)
}

func run(ctx context.Context) (err error) {
	bin, err := binaries(ctx)
	if err != nil {
		return err
	}
	c, err := start(ctx, bin)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, c.stop()) }()
	rendered, err := exec.CommandContext(ctx, filepath.Join(bin, "kustomize"), "build", manifests).Output()
	if err != nil {
		return fmt.Errorf("kustomize build: %w", err)
	}
	if err := c.prepare(ctx); err != nil {
		return err
	}
	all, err := decode(rendered)
	if err != nil {
		return err
	}
	for _, beside := range []string{"servicemonitor.yaml", "scaledobject.yaml"} {
		text, err := os.ReadFile(filepath.Join(manifests, beside))
		if err != nil {
			return err
		}
		more, err := decode(text)
		if err != nil {
			return err
		}
		all = append(all, more...)
	}
	return c.judge(ctx, all)
}
