package worker

import (
	"errors"
	"fmt"
)

// KeepSchema keeps a schema of records in the model file, and so in its snapshots: whoever reads
// the records again needs no registry.
func (w *Worker) KeepSchema(name string, schema []byte) error {
	w.storeMu.Lock()
	defer w.storeMu.Unlock()
	if w.store == nil {
		return errNoFile
	}
	return w.store.KeepSchemas(map[string][]byte{name: schema})
}

// KeptSchema returns a schema that the model file has, nil if it has none under the name.
func (w *Worker) KeptSchema(name string) ([]byte, error) {
	w.storeMu.Lock()
	defer w.storeMu.Unlock()
	if w.store == nil {
		return nil, errNoFile
	}
	return w.store.Schema(name)
}

// checkSchemas refuses a model file with schemas of a registry where no registry is named: records
// that were counted could not be read again, and would count as gone.
func (w *Worker) checkSchemas() error {
	if w.config.Kafka.Registry().IsNamed() {
		return nil
	}
	schemas, err := w.store.Schemas()
	if err == nil && len(schemas) > 0 {
		err = errors.New("the model has records of a schema registry: name it in schema-registry of the cluster")
	}
	if err != nil {
		return fmt.Errorf("model file %s: %w", w.config.State, err)
	}
	return nil
}
