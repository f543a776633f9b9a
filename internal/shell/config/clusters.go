package config

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/alecthomas/kong"
	"go.yaml.in/yaml/v3"
)

// ofCluster reports whether a flag is a setting of a cluster.
func ofCluster(flag *kong.Flag) bool { return flag.Hidden && !isMoved(flag) || flag.Name == "brokers" }

// connects reports whether a flag says how to reach the brokers.
func connects(flag *kong.Flag) bool { return ofCluster(flag) || flag.Name == "cluster" }

// named reports whether the command line says which brokers are meant.
func (l layers) named() bool {
	_, cluster := l.given["cluster"]
	_, brokers := l.given["brokers"]
	return cluster || brokers
}

// connect tells a command whether its brokers are named, and refuses what was a flag once.
func (g *grammar) connect(l layers) {
	if command, ok := g.dst.(dialer); ok {
		command.connection().Named = l.named()
	}
	var old []string
	settings := map[string]any{}
	for _, flag := range g.app.Model.Flags {
		value, given := l.given[flag.Name]
		if !given || !ofCluster(flag) {
			continue
		}
		if file, _ := value.(string); flag.Tag.Type == "existingfile" && file != "" {
			value = kong.ExpandPath(file)
		}
		settings[flag.Name] = value
		if flag.Hidden {
			old = append(old, "--"+flag.Name)
		}
	}
	if len(old) > 0 {
		block, _ := yaml.Marshal(map[string]any{"mine": settings}) // which a map of texts cannot fail
		const where = "%s: settings of a cluster, no flags. Put this into %s, and use --cluster=mine:\n\n%s"
		g.faults.add(fmt.Sprintf(where, strings.Join(old, ", "), clustersFile(l.lookup), block))
	}
}

// cluster returns the settings of the named cluster, nil if none is named. A cluster is taken
// whole, so that a password for one is never sent to another; the environment can only complete a
// cluster without one.
func (g *grammar) cluster(l layers) map[string]entry {
	at, named := l.find(g.flag("cluster"))
	name, _ := named.value.(string)
	if where, _ := l.find(g.flag("brokers")); name == "" || where < at {
		return nil
	}
	for _, flag := range g.app.Model.Flags {
		where, other := l.find(flag)
		if ofCluster(flag) && where <= at && flag.Name != "sasl-password" {
			const both = "%s and %s exclude each other: cluster %q has its own settings"
			g.faults.add(fmt.Sprintf(both, named.where, other.where, name))
		}
	}
	entries, problems := readCluster(clustersFile(l.lookup), name, g.app.Model.Flags)
	g.faults.list = append(g.faults.list, problems...)
	if _, secret := l.find(g.flag("sasl-password")); lacksPassword(entries) && secret.value != nil {
		entries["sasl-password"] = secret
	}
	return entries
}

// lacksPassword reports whether a cluster uses SASL and does not say where the password or token
// is.
func lacksPassword(cluster map[string]entry) bool {
	_, sasl := cluster["sasl"]
	_, password := cluster["sasl-password"]
	_, file := cluster["sasl-password-file"]
	_, token := cluster["sasl-token-file"]
	return sasl && !password && !file && !token
}

// clustersFile returns the path of the file of clusters.
func clustersFile(lookup Lookup) string {
	if file, _ := lookup("BAYESTREAM_CLUSTERS"); file != "" {
		return kong.ExpandPath(file)
	}
	folder, _ := lookup("XDG_CONFIG_HOME")
	if folder == "" {
		home, _ := lookup("HOME")
		folder = filepath.Join(home, ".config")
	}
	return filepath.Join(folder, "bayestream", "clusters.yaml")
}

// readCluster returns the settings of a cluster in a file of clusters, never nil, and one problem
// for each that is not valid.
func readCluster(file, name string, flags []*kong.Flag) (map[string]entry, []string) {
	none := map[string]entry{}
	root, err := readMapping(file)
	if err != nil {
		return none, []string{"--cluster: " + err.Error()}
	}
	settings, err := findCluster(root, name)
	if err != nil {
		return none, []string{fmt.Sprintf("--cluster: %s: %v", file, err)}
	}
	known := slices.DeleteFunc(slices.Clone(flags), func(f *kong.Flag) bool { return !ofCluster(f) })
	entries, problems := readSettings(file, settings, known)
	for _, flag := range known {
		e := entries[flag.Name]
		if path, _ := e.value.(string); flag.Tag.Type == "existingfile" && path != "" {
			entries[flag.Name] = entry{e.where, beside(file, path)}
		}
	}
	if _, secret := entries["sasl-password"]; secret {
		if err := checkPrivate("--cluster", file); err != nil {
			problems = append(problems, err.Error())
		}
	}
	return entries, problems
}

// beside returns a path in a file of clusters: it is relative to the folder of the file.
func beside(file, path string) string {
	if filepath.IsAbs(path) || strings.HasPrefix(path, "~/") {
		return path
	}
	return filepath.Join(filepath.Dir(file), path)
}

// findCluster returns the settings of a cluster: a mapping of names to settings has it once.
func findCluster(root *yaml.Node, name string) (settings *yaml.Node, err error) {
	var names []string
	for i := 0; root != nil && i+1 < len(root.Content); i += 2 {
		names = append(names, root.Content[i].Value)
		if names[i/2] != name {
			continue
		}
		if settings != nil {
			return nil, fmt.Errorf("the cluster %q occurs twice", name)
		}
		settings = root.Content[i+1]
	}
	if settings == nil {
		return nil, fmt.Errorf("there is no cluster %q, only: %s", name, strings.Join(names, ", "))
	}
	return settings, nil
}
