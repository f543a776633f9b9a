package config

import (
	"fmt"
	"log/slog"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"bayestream/internal/shell/schema"
	"bayestream/internal/shell/stream"

	"github.com/alecthomas/kong"
	"go.yaml.in/yaml/v3"
)

// ofCluster reports whether a flag is a setting of a cluster.
func ofCluster(flag *kong.Flag) bool { return flag.Hidden || flag.Name == "brokers" }

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
	has := func(key string) bool { _, is := cluster[key]; return is }
	others := []string{"sasl-password", "sasl-password-file", "sasl-token-file", "sasl-token-command"}
	return has("sasl") && !slices.ContainsFunc(others, has)
}

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

// Connection says how to reach a Kafka cluster. What is hidden is no flag: it comes from a file of
// clusters, from the environment, or from the file of a worker.
type Connection struct {
	Cluster string   `group:"kafka" placeholder:"NAME" help:"Cluster in ~/.config/bayestream/clusters.yaml, or in the file that BAYESTREAM_CLUSTERS names: its brokers, TLS and SASL."`
	Brokers []string `group:"kafka" default:"127.0.0.1:9092" placeholder:"HOST:PORT" help:"Addresses of brokers, separated by commas. They name the other brokers of the cluster."`

	TLS           bool          `hidden:"" name:"tls" help:"Use TLS. Implied by tls-ca, tls-cert and tls-key."`
	TLSCA         string        `hidden:"" name:"tls-ca" type:"existingfile" placeholder:"FILE" help:"PEM file of trusted CA certificates, instead of those of the system."`
	TLSCert       string        `hidden:"" name:"tls-cert" type:"existingfile" placeholder:"FILE" help:"PEM file of the client certificate, for brokers that require one. Needs tls-key."`
	TLSKey        string        `hidden:"" name:"tls-key" type:"existingfile" placeholder:"FILE" help:"PEM file of the private key of tls-cert."`
	TLSServerName string        `hidden:"" name:"tls-server-name" placeholder:"HOST" help:"Host name in the certificates of the brokers, if it differs from the host of their addresses."`
	SASL          string        `hidden:"" name:"sasl" placeholder:"MECHANISM" help:"SASL mechanism: plain, scram-sha-256, scram-sha-512 or oauthbearer. Plain and oauthbearer send the password or token unencrypted: use them with TLS."`
	User          string        `hidden:"" name:"sasl-user" placeholder:"NAME" help:"SASL user. With sasl-token-url: the id of the client there."`
	Password      stream.Secret `hidden:"" name:"sasl-password" placeholder:"SECRET" help:"SASL password. A file of clusters that holds one must be closed to other users."`
	PasswordFile  string        `hidden:"" name:"sasl-password-file" type:"existingfile" placeholder:"FILE" help:"File with the SASL password, instead of sasl-password, read again for each connection."`
	TokenFile     string        `hidden:"" name:"sasl-token-file" type:"existingfile" placeholder:"FILE" help:"File with the token of oauthbearer, read again for each connection."`
	TokenCommand  string        `hidden:"" name:"sasl-token-command" placeholder:"COMMAND" help:"Command that prints the token of oauthbearer, instead of sasl-token-file. It is run without a shell, and again when half of the token's life is over."`
	TokenURL      string        `hidden:"" name:"sasl-token-url" placeholder:"URL" help:"Endpoint that returns tokens of oauthbearer for sasl-user and its password (OAuth 2 client credentials), instead of sasl-token-file."`
	Scope         string        `hidden:"" name:"sasl-scope" placeholder:"SCOPE" help:"Scope of the token to request from sasl-token-url."`

	SchemaRegistry             []string `hidden:"" name:"schema-registry" placeholder:"URL" help:"Addresses of the schema registry of Avro, JSON Schema and Protobuf records, separated by commas: of one registry, tried in this order."`
	SchemaRegistryUser         string   `hidden:"" name:"schema-registry-user" placeholder:"NAME" help:"User of the registry. Needs schema-registry-password-file."`
	SchemaRegistryPasswordFile string   `hidden:"" name:"schema-registry-password-file" type:"existingfile" placeholder:"FILE" help:"File with the password of schema-registry-user. Like the other files of the registry, it is read again for each request."`
	SchemaRegistryTokenFile    string   `hidden:"" name:"schema-registry-token-file" type:"existingfile" placeholder:"FILE" help:"File with the bearer token of the registry, instead of a user."`
	SchemaRegistryCA           string   `hidden:"" name:"schema-registry-ca" type:"existingfile" placeholder:"FILE" help:"PEM file of trusted CA certificates of the registry, instead of those of the system."`
	SchemaRegistryCert         string   `hidden:"" name:"schema-registry-cert" type:"existingfile" placeholder:"FILE" help:"PEM file of the client certificate, for a registry that requires one. Needs schema-registry-key."`
	SchemaRegistryKey          string   `hidden:"" name:"schema-registry-key" type:"existingfile" placeholder:"FILE" help:"PEM file of the private key of schema-registry-cert."`

	Named bool `kong:"-"` // --cluster or --brokers is on the command line
}

// dialer is the flags of a verb that connects to brokers.
type dialer interface{ connection() *Connection }

// connection returns the settings, from any command that embeds them.
func (c *Connection) connection() *Connection { return c }

// Stream returns the configuration of package stream, without a logger.
func (c Connection) Stream() stream.Config {
	return stream.Config{
		Brokers: c.Brokers,
		TLS:     stream.TLS{Enabled: c.TLS, CA: c.TLSCA, Cert: c.TLSCert, Key: c.TLSKey, ServerName: c.TLSServerName},
		SASL: stream.SASL{
			Mechanism: c.SASL, Username: c.User, Password: c.Password, PasswordFile: c.PasswordFile,
			TokenFile: c.TokenFile, TokenCommand: c.TokenCommand, TokenURL: c.TokenURL, Scope: c.Scope,
		},
	}
}

// Registry returns how to reach the schema registry of the cluster.
func (c Connection) Registry() schema.Config {
	return schema.Config{
		URLs: c.SchemaRegistry, User: c.SchemaRegistryUser, PasswordFile: c.SchemaRegistryPasswordFile,
		TokenFile: c.SchemaRegistryTokenFile,
		TLS:       stream.TLS{CA: c.SchemaRegistryCA, Cert: c.SchemaRegistryCert, Key: c.SchemaRegistryKey},
	}
}

// Schemas returns what gives records the schemas of the registry, which are kept on a shelf if it
// is not nil; nil if no registry is named.
func (c Connection) Schemas(shelf schema.Shelf, log *slog.Logger) (stream.Attach, error) {
	named := c.Registry()
	if !named.IsNamed() {
		return nil, nil //nolint:nilnil // nil is documented
	}
	if named.IsExposed() {
		log.Warn("the password or token of the schema registry goes over the network in plain text: use https")
	}
	registry, err := schema.New(named, shelf)
	if err != nil {
		return nil, err
	}
	return registry.Attach, nil
}

// Problems returns what is wrong with the settings, without using the network.
func (c Connection) Problems() Problems {
	return Problems{c.Stream().Validate(), c.Registry().Validate()}
}

// Kafka says how a worker reaches the brokers.
type Kafka struct {
	Connection     `embed:""`
	ClientID       string        `group:"kafka" name:"client-id" default:"bayestream" placeholder:"NAME" help:"Client name in the logs and quotas of the brokers."`
	Compression    string        `group:"kafka" default:"auto" enum:"auto,none,gzip,snappy,lz4,zstd" placeholder:"CODEC" help:"Compression of written batches: none, gzip, snappy, lz4, zstd, or auto: zstd for the model topic, none for others."`
	RequestTimeout time.Duration `group:"kafka" default:"10s" placeholder:"TIME" help:"Time limit of a request to a broker, including the connection."`
}

// Stream returns the configuration of package stream, without a logger.
func (k Kafka) Stream() stream.Config {
	c := k.Connection.Stream()
	c.ClientID, c.Compression, c.RequestTimeout = k.ClientID, k.Compression, k.RequestTimeout
	return c
}
