package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"

	"go.yaml.in/yaml/v3"
)

// object is an object of Kubernetes.
type object map[string]any

func (o object) text(key string) string { s, _ := o[key].(string); return s }

func (o object) at(key string) object { m, _ := o[key].(object); return m }

func (o object) String() string { return o.text("kind") + " " + o.at("metadata").text("name") }

// collection returns the path to which an object is sent.
func (o object) collection(namespace string) string {
	version := o.text("apiVersion")
	path := "/apis/" + version
	if !strings.Contains(version, "/") {
		path = "/api/" + version
	}
	if namespace != "" {
		path += "/namespaces/" + namespace
	}
	plural := strings.ToLower(o.text("kind")) + "s"
	return path + "/" + strings.Replace(plural, "ys", "ies", 1)
}

// decode reads the objects of a file of YAML.
func decode(text []byte) (all []object, err error) {
	documents := yaml.NewDecoder(bytes.NewReader(text))
	for {
		var o object
		err := documents.Decode(&o)
		if errors.Is(err, io.EOF) {
			return all, nil
		}
		if err != nil {
			return nil, err
		}
		all = append(all, o)
	}
}

// namespace is where the objects would go.
const namespace = "bayestream"

// prepare makes the namespace, with the strictest policy for pods, and defines the other kinds.
func (c *cluster) prepare(ctx context.Context) error {
	strict := object{"pod-security.kubernetes.io/enforce": "restricted", "pod-security.kubernetes.io/warn": "restricted"}
	metadata := object{"name": namespace, "labels": strict}
	err := c.ask(ctx, http.MethodPost, "/api/v1/namespaces", object{"metadata": metadata})
	if err != nil {
		return err
	}
	for module, file := range map[string]string{
		keda:       "config/crd/bases/keda.sh_scaledobjects.yaml",
		prometheus: "example/prometheus-operator-crd/monitoring.coreos.com_servicemonitors.yaml",
	} {
		m, err := download(ctx, module)
		if err != nil {
			return err
		}
		text, err := os.ReadFile(filepath.Join(m.Dir, filepath.FromSlash(file)))
		if err != nil {
			return err
		}
		kinds, err := decode(text)
		if err != nil {
			return err
		}
		for _, kind := range kinds {
			if err := c.define(ctx, kind); err != nil {
				return fmt.Errorf("%s: %w", kind, err)
			}
		}
	}
	return nil
}

// define adds a kind and waits until its objects can be listed.
func (c *cluster) define(ctx context.Context, kind object) error {
	if err := c.ask(ctx, http.MethodPost, kind.collection(""), kind); err != nil {
		return err
	}
	plural, group, _ := strings.Cut(kind.at("metadata").text("name"), ".")
	versions, _ := kind.at("spec")["versions"].([]any)
	version, _ := versions[0].(object)
	return c.wait(ctx, "/apis/"+group+"/"+version.text("name")+"/"+plural)
}

// judge asks about each object, and about the pods of each workload. Then it asks about objects
// that must be refused: else nothing was checked.
func (c *cluster) judge(ctx context.Context, all []object) error {
	for _, o := range all {
		if err := c.try(ctx, o); err != nil {
			return fmt.Errorf("%s: %w", o, err)
		}
		fmt.Println("accepted:", o)
		if o.at("spec").at("template") == nil {
			continue
		}
		if err := c.judgePod(ctx, o); err != nil {
			return err
		}
	}
	return nil
}

// judgePod asks about a pod of a workload, and about two of which the server must say what is wrong.
func (c *cluster) judgePod(ctx context.Context, workload object) error {
	if err := c.try(ctx, workload.pod()); err != nil {
		return fmt.Errorf("a pod of %s: %w", workload, err)
	}
	fmt.Println("accepted: a pod of", workload)
	for wrong, spoil := range map[string]func(spec object){
		"violates PodSecurity": func(spec object) { delete(spec, "securityContext") },
		"unknown field":        func(spec object) { spec["readOnlyRootFs"] = true },
	} {
		pod := workload.pod()
		spoil(pod.at("spec"))
		if err := c.try(ctx, pod); err == nil || !strings.Contains(err.Error(), wrong) {
			return errors.Join(fmt.Errorf("a pod of %s was not refused with %q", workload, wrong), err)
		}
		fmt.Printf("refused with %q: a spoilt pod of %s\n", wrong, workload)
	}
	return nil
}

// try asks whether an object would be taken.
func (c *cluster) try(ctx context.Context, o object) error {
	return c.ask(ctx, http.MethodPost, o.collection(namespace)+"?dryRun=All&fieldValidation=Strict", o)
}

// pod returns a pod as a workload would make it, with a folder in the place of a claimed volume.
func (o object) pod() object {
	text, err := yaml.Marshal(o.at("spec").at("template"))
	if err != nil {
		panic(err) // it was read from YAML
	}
	pods, err := decode(text)
	if err != nil {
		panic(err)
	}
	pod := pods[0]
	pod["apiVersion"] = "v1"
	pod["kind"] = "Pod"
	pod.at("metadata")["name"] = o.at("metadata").text("name")
	claims, _ := o.at("spec")["volumeClaimTemplates"].([]any)
	volumes, _ := pod.at("spec")["volumes"].([]any)
	for _, claim := range claims {
		template, _ := claim.(object)
		volumes = append(volumes, object{"name": template.at("metadata").text("name"), "emptyDir": object{}})
	}
	pod.at("spec")["volumes"] = volumes
	return pod
}
