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
func (s *Store) Schema(name string) (text []byte, err error) {
	err = s.view(func(tx *bbolt.Tx) error {
		bucket := tx.Bucket([]byte(bucketSchemas))
		if bucket == nil {
			return nil
		}
		sealed := bucket.Get([]byte(name))
		if sealed == nil {
			return nil
		}
		text, err = unseal([]byte(name), sealed)
		text = bytes.Clone(text)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("schema %s in %w", name, err)
	}
	return text, nil
}

// Schemas returns the schemas of records that are in the file, by their names.
func (s *Store) Schemas() (schemas map[string][]byte, err error) {
	err = s.view(func(tx *bbolt.Tx) error {
		schemas, err = readSchemas(tx)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("schemas in %w", err)
	}
	return schemas, nil
}

// readSchemas returns the schemas of the file, checksums checked.
func readSchemas(tx *bbolt.Tx) (map[string][]byte, error) {
	schemas := map[string][]byte{}
	_, err := eachRow(tx, bucketSchemas, func(name, text []byte) error {
		schemas[string(name)] = bytes.Clone(text)
		return nil
	})
	return schemas, err
}
