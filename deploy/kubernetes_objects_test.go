package deploy

import (
	"errors"
	"io"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
)

// object is the part of a Kubernetes object that the tests compare with the code and with others.
type object struct {
	Kind     string
	Metadata metadata
	Spec     struct {
		ServiceName string `yaml:"serviceName"`
		Selector    selector
		Pods        selector    `yaml:"podSelector"`
		Template    podTemplate // of a workload
		Claims      []struct {
			Metadata metadata
		} `yaml:"volumeClaimTemplates"`
		Ports []struct {
			Port   string
			Target string `yaml:"targetPort"`
		}
		Ingress []struct {
			Ports []struct{ Port string }
		}
		Endpoints []struct{ Port, Path string }
		Scaled    struct{ Name string } `yaml:"scaleTargetRef"`
		Triggers  []struct{ Metadata map[string]string }
	}
}

type metadata struct {
	Name   string
	Labels map[string]string
}

// selector holds labels, with matchLabels around them as in most kinds, or without as in a Service.
type selector map[string]string

func (s *selector) UnmarshalYAML(n *yaml.Node) error {
	var wrapped struct {
		Labels map[string]string `yaml:"matchLabels"`
	}
	if err := n.Decode(&wrapped); err != nil || wrapped.Labels != nil {
		*s = wrapped.Labels
		return err
	}
	return n.Decode((*map[string]string)(s))
}

type podTemplate struct {
	Metadata metadata
	Spec     struct {
		Grace    int64 `yaml:"terminationGracePeriodSeconds"`
		Security struct {
			User  string `yaml:"runAsUser"`
			Group string `yaml:"runAsGroup"`
			Files string `yaml:"fsGroup"`
		} `yaml:"securityContext"`
		Containers []container
		Volumes    []struct {
			Name      string
			ConfigMap struct{ Name string } `yaml:"configMap"`
		}
	}
}

type container struct {
	Name, Image   string
	Command, Args []string
	EnvFrom       []struct {
		ConfigMap struct{ Name string } `yaml:"configMapRef"`
	} `yaml:"envFrom"`
	Env []struct {
		Name, Value string
		From        struct {
			Field struct {
				Path string `yaml:"fieldPath"`
			} `yaml:"fieldRef"`
		} `yaml:"valueFrom"`
	}
	Ports []struct {
		Name string
		Port string `yaml:"containerPort"`
	}
	Lifecycle struct {
		PreStop struct{ Sleep struct{ Seconds int64 } } `yaml:"preStop"`
	}
	Live      probe `yaml:"livenessProbe"`
	Ready     probe `yaml:"readinessProbe"`
	Resources struct{ Limits struct{ Memory string } }
	Mounts    []struct {
		Name string
		Path string `yaml:"mountPath"`
	} `yaml:"volumeMounts"`
}

type probe struct {
	Get struct{ Path, Port string } `yaml:"httpGet"`
}

// objects reads the objects of files in the folder kubernetes.
func objects(t *testing.T, files ...string) (all []object) {
	t.Helper()
	for _, file := range files {
		documents := yaml.NewDecoder(strings.NewReader(read(t, "kubernetes/"+file)))
		for {
			var o object
			err := documents.Decode(&o)
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil {
				t.Fatalf("%s: %v", file, err)
			}
			all = append(all, o)
		}
	}
	return all
}

// workload returns the StatefulSet of ingest, or the Deployment of classify.
func workload(t *testing.T, worker string) object {
	t.Helper()
	kinds := map[string]string{ingest: "StatefulSet", classify: "Deployment"}
	all := objects(t, worker+".yaml")
	at := slices.IndexFunc(all, func(o object) bool { return o.Kind == kinds[worker] })
	if at < 0 || len(all[at].Spec.Template.Spec.Containers) != 1 {
		t.Fatalf("%s.yaml has no %s of one container", worker, kinds[worker])
	}
	return all[at]
}

// matches reports whether a selector takes pods with the labels.
func (s selector) matches(labels map[string]string) bool {
	for name, value := range s {
		if labels[name] != value {
			return false
		}
	}
	return len(s) > 0
}
