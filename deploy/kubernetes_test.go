package deploy

import (
	"maps"
	"net/http"
	"os"
	"path"
	"slices"
	"strings"
	"testing"
	"time"

	"bayestream/internal/core/spec"
	"bayestream/internal/shell/budget"
	"bayestream/internal/shell/config"
	"bayestream/internal/shell/httpapi"
	"bayestream/internal/testing/filetest"
)

// kustomization is the base: its objects, and the ConfigMaps that it makes of files.
type kustomization struct {
	Resources []string
	Images    []struct{ Name string }
	Maps      []struct {
		Name        string
		Envs, Files []string
	} `yaml:"configMapGenerator"`
}

func base(t *testing.T) (k kustomization) {
	t.Helper()
	parse(t, "kubernetes/kustomization.yaml", &k)
	return k
}

// generated returns the files of a ConfigMap of the base, which are variables or files.
func generated(t *testing.T, name string) (envs, files []string) {
	t.Helper()
	for _, m := range base(t).Maps {
		if m.Name == name {
			return m.Envs, m.Files
		}
	}
	t.Errorf("the kustomization makes no ConfigMap %s", name)
	return nil, nil
}

// podSettings returns the variables of a container, those of its ConfigMaps among them.
func podSettings(t *testing.T, c container) map[string]string {
	t.Helper()
	env := map[string]string{}
	for _, from := range c.EnvFrom {
		envs, _ := generated(t, from.ConfigMap.Name)
		for _, file := range envs {
			_, set := examples(t, "kubernetes/"+file)
			maps.Copy(env, set)
		}
	}
	for _, e := range c.Env {
		env[e.Name] = e.Value + e.From.Field.Path
	}
	return env
}

func TestPodsRunTheWorkers(t *testing.T) {
	for _, worker := range []string{ingest, classify} {
		pod := workload(t, worker).Spec.Template.Spec
		c := pod.Containers[0]
		if len(c.Command) != 1 || c.Command[0] != "/usr/bin/"+worker || c.Image != base(t).Images[0].Name {
			t.Errorf("%s: the image %s runs %v", worker, c.Image, c.Command)
		}
		env := podSettings(t, c)
		set := checkSettings(t, worker+".yaml", worker, c.Args, env)
		if _, port, _ := strings.Cut(set.HTTP, ":"); len(c.Ports) != 1 || c.Ports[0].Name != "http" || c.Ports[0].Port != port {
			t.Errorf("%s listens on %s, its ports are %v", worker, set.HTTP, c.Ports)
		}
		if orderly := set.Drain + time.Duration(c.Lifecycle.PreStop.Sleep.Seconds)*time.Second; time.Duration(pod.Grace)*time.Second <= orderly+10*time.Second {
			t.Errorf("%s is killed after %d s, and may take %v and some seconds to stop", worker, pod.Grace, orderly)
		}
		user := last(t, "USER")
		if got := pod.Security.User + ":" + pod.Security.Group; got != user || pod.Security.Files != pod.Security.Group {
			t.Errorf("%s runs as %s with files of %s, the image as %s", worker, got, pod.Security.Files, user)
		}
		limit, err := budget.Parse(c.Resources.Limits.Memory + "B")
		soft, err2 := budget.Parse(env["GOMEMLIMIT"])
		if err != nil || err2 != nil || soft < limit*8/10 || soft > limit*9/10 {
			t.Errorf("%s has %s of memory and a GOMEMLIMIT of %s, want nine tenths", worker, c.Resources.Limits.Memory, env["GOMEMLIMIT"])
		}
	}
}

// Each path of a setting is in a folder that is mounted, each mount has a volume, and each volume of
// a ConfigMap the file that the setting names.
func TestPodsMountWhatTheyName(t *testing.T) {
	for _, worker := range []string{ingest, classify} {
		o := workload(t, worker)
		c := o.Spec.Template.Spec.Containers[0]
		env := podSettings(t, c)
		volumes := map[string][]string{}
		for _, claim := range o.Spec.Claims {
			volumes[claim.Metadata.Name] = nil
		}
		for _, v := range o.Spec.Template.Spec.Volumes {
			volumes[v.Name] = nil
			if v.ConfigMap.Name != "" {
				_, volumes[v.Name] = generated(t, v.ConfigMap.Name)
			}
		}
		folders := map[string]string{}
		for _, m := range c.Mounts {
			folders[m.Path] = m.Name
			if _, is := volumes[m.Name]; !is {
				t.Errorf("%s mounts %s, which is no volume", worker, m.Name)
			}
		}
		if folders[path.Dir(env["BAYESTREAM_STATE"])] != "model" || path.Dir(env["BAYESTREAM_STATE"]) != stateFolder(t) {
			t.Errorf("%s: the model file %s is not on the volume model", worker, env["BAYESTREAM_STATE"])
		}
		if file := env["BAYESTREAM_SPEC"]; worker == ingest && !slices.Contains(volumes[folders[path.Dir(file)]], path.Base(file)) {
			t.Errorf("the spec %s is in no ConfigMap that is mounted: %v", file, folders)
		}
		all, _ := examples(t, "kubernetes/bayestream.env")
		for name, value := range all {
			if strings.HasPrefix(value, "/") && folders[path.Dir(value)] != "secrets" {
				t.Errorf("%s: %s=%s is not in the folder of the secrets", worker, name, value)
			}
		}
	}
}

// The paths are those that a worker answers.
func TestProbesAskWhatWorkersAnswer(t *testing.T) {
	ready := func() httpapi.Readiness { return httpapi.Readiness{Ready: true} }
	server := httpapi.New(httpapi.Options{Addr: "127.0.0.1:0", Role: ingest, Metrics: httpapi.NewMetrics(ingest), Ready: ready})
	address, err := server.Start()
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = server.Shutdown(t.Context()) }()
	asked := map[string]string{}
	for _, worker := range []string{ingest, classify} {
		c := workload(t, worker).Spec.Template.Spec.Containers[0]
		asked[worker+" live"] = c.Live.Get.Path
		asked[worker+" ready"] = c.Ready.Get.Path
		if c.Live.Get.Path != "/livez" || c.Ready.Get.Path != "/readyz" || c.Live.Get.Port != "http" || c.Ready.Get.Port != "http" {
			t.Errorf("%s has the probes %v and %v", worker, c.Live, c.Ready)
		}
	}
	asked["ServiceMonitor"] = objects(t, "servicemonitor.yaml")[0].Spec.Endpoints[0].Path
	for who, path := range asked {
		response, err := http.Get("http://" + address + path)
		if err != nil {
			t.Fatal(err)
		}
		_ = response.Body.Close()
		if response.StatusCode != http.StatusOK {
			t.Errorf("%s asks for %s, and gets %s", who, path, response.Status)
		}
	}
}

// Services, budgets, policies and monitors choose the pods that they are for, by labels and ports.
func TestSelectorsFindThePods(t *testing.T) {
	for _, worker := range []string{ingest, classify} {
		pods := workload(t, worker)
		of := pods.Spec.Template.Metadata.Labels
		for _, o := range objects(t, worker+".yaml") {
			if !o.Spec.Selector.matches(of) || o.Metadata.Labels["app.kubernetes.io/component"] != worker {
				t.Errorf("%s %s selects %v, the pods have %v", o.Kind, o.Metadata.Name, o.Spec.Selector, of)
			}
			for _, p := range o.Spec.Ports {
				if p.Target != "http" || p.Port != pods.Spec.Template.Spec.Containers[0].Ports[0].Port {
					t.Errorf("%s %s has port %s to %s", o.Kind, o.Metadata.Name, p.Port, p.Target)
				}
			}
			if o.Kind == "Service" && !objects(t, "servicemonitor.yaml")[0].Spec.Selector.matches(o.Metadata.Labels) {
				t.Errorf("the ServiceMonitor does not find the Service %s", o.Metadata.Name)
			}
		}
		if policy := objects(t, "network.yaml")[0]; !policy.Spec.Pods.matches(of) || policy.Spec.Ingress[0].Ports[0].Port != "http" {
			t.Errorf("the policy is for %v, the pods have %v", policy.Spec.Pods, of)
		}
	}
	if o := workload(t, ingest); objects(t, "ingest.yaml")[1].Metadata.Name != o.Spec.ServiceName {
		t.Errorf("the StatefulSet belongs to the Service %s, which is not there", o.Spec.ServiceName)
	}
}

// KEDA scales by the lag of the group and topic that classify has.
func TestScaledObjectWatchesTheGroup(t *testing.T) {
	o := objects(t, "scaledobject.yaml")[0]
	pods := workload(t, classify)
	c := settle[config.Classify](t, "classify.yaml", nil, podSettings(t, pods.Spec.Template.Spec.Containers[0]))
	got := o.Spec.Triggers[0].Metadata
	if got["consumerGroup"] != c.Group || got["topic"] != c.DocumentsTopic || got["bootstrapServers"] != c.Kafka.Brokers[0] || o.Spec.Scaled.Name != pods.Metadata.Name {
		t.Errorf("it scales %s by %v; classify is %s with group %s and topic %s", o.Spec.Scaled.Name, got, pods.Metadata.Name, c.Group, c.DocumentsTopic)
	}
}

// Every file of the folder is in the base, or is known to be beside it.
func TestKustomizationHasAllFiles(t *testing.T) {
	known := append(base(t).Resources, "kustomization.yaml", "servicemonitor.yaml", "scaledobject.yaml")
	for _, m := range base(t).Maps {
		known = append(known, slices.Concat(m.Envs, m.Files)...)
	}
	slices.Sort(known)
	entries, err := os.ReadDir("kubernetes")
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, e := range entries {
		got = append(got, e.Name())
	}
	if !slices.Equal(got, known) {
		t.Errorf("the folder has %v, the base and what is beside it %v", got, known)
	}
}

// The spec of the base is the one that a model without a spec has.
func TestSpecOfTheBaseIsTheDefault(t *testing.T) {
	got, err := spec.Parse(filetest.Read(t, "kubernetes/spec.yaml"))
	if err != nil || got.Changes(spec.Default()) || got.Counting() != spec.Default().Counting() {
		t.Errorf("spec.yaml is not the default: %v", err)
	}
}
