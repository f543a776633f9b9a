package store

import (
	"bytes"
	"fmt"

	"go.etcd.io/bbolt"
)

// KeepSchemas adds schemas of records to the file, by their names, at once: what they read may be
// counted before the next checkpoint.
func (s *Store) KeepSchemas(schemas map[string][]byte) error {
	err := guarded(s.path, func() error {
		return s.db.Update(func(tx *bbolt.Tx) error {
			bucket, err := tx.CreateBucketIfNotExists([]byte(bucketSchemas))
			for name, text := range schemas {
				if err == nil {
					err = bucket.Put([]byte(name), seal([]byte(name), bytes.Clone(text)))
				}
			}
			return err
		})
	})
	if err != nil {
		return fmt.Errorf("schemas into %s: %w", s.path, err)
	}
	return nil
}

// Schema returns the schema that is in the file under a name, nil if there is none.
func (s *Store) Schema(name string) ([]byte, error) {
	return view(s, "schema "+name+" in", func(tx *bbolt.Tx) ([]byte, error) {
		bucket := tx.Bucket([]byte(bucketSchemas))
		if bucket == nil {
			return nil, nil
		}
		sealed := bucket.Get([]byte(name))
		if sealed == nil {
			return nil, nil
		}
		text, err := unseal([]byte(name), sealed)
		return bytes.Clone(text), err
	})
}

// Schemas returns the schemas of records that are in the file, by their names.
func (s *Store) Schemas() (map[string][]byte, error) { return view(s, "schemas in", readSchemas) }

// readSchemas returns the schemas of the file, checksums checked.
func readSchemas(tx *bbolt.Tx) (map[string][]byte, error) {
	schemas := map[string][]byte{}
	_, err := eachRow(tx, bucketSchemas, func(name, text []byte) error {
		schemas[string(name)] = bytes.Clone(text)
		return nil
	})
	return schemas, err
}
