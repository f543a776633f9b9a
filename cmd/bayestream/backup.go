package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"

	"bayestream/internal/shell/config"
	"bayestream/internal/tools/cli"
	"bayestream/internal/tools/lab/modelfile"
)

func init() {
	register(verb{
		name: "backup", group: "Keep it", place: 2,
		summary: "Write a consistent, verified copy of a model.",
		example: "bayestream backup --model=http://127.0.0.1:7431/v1/snapshot --out=model.db.gz",
		run:     cli.Watched(runBackup),
		outline: outline[backupFlags](&backupCommand),
	})
}

// backupFlags are the flags of the verb backup.
type backupFlags struct {
	Model config.FileOrURL `required:"" complete:"file" placeholder:"M.db|URL" help:"Model file, or the snapshot of a running worker: http://HOST:PORT/v1/snapshot."`
	Out   string           `required:"" type:"path" placeholder:"FILE" help:"Output file, compressed if its name ends in .gz. It must not exist."`
	JSON  bool             `name:"json" help:"Write the result as one JSON object."`
}

var backupCommand = config.Command{
	Name: program + " backup",
	About: "Writes a consistent copy of a model, with its position in the model log, and verifies the copy before it gets its name. " +
		"A worker that starts from it continues at that position, so a backup may be old as long as the log still has the records after it.",
	Examples: []config.Example{
		{What: "A running worker, compressed", Type: "bayestream backup --model=http://127.0.0.1:7431/v1/snapshot --out=model.db.gz"},
		{What: "A file", Type: "bayestream backup --model=sms.db --out=sms-2026.db"},
	},
}

// copied is the output of backup and restore.
type copied struct {
	From  config.FileOrURL `json:"from"`
	To    string           `json:"to"`
	Bytes int64            `json:"bytes"`
}

func runBackup(ctx context.Context, p cli.Process) error {
	var f backupFlags
	if err := backupCommand.Parse(&f, p.Args); err != nil {
		return err
	}
	if err := modelfile.Backup(ctx, f.Model.Reveal(), f.Out); err != nil {
		return copyError(err)
	}
	return tellCopied(p, f.JSON, f.Model, f.Out)
}

// copyError gives errors of backup and restore that the user can correct the exit code of wrong input.
func copyError(err error) error {
	var exists *modelfile.ExistsError
	var bad *modelfile.BackupError
	if errors.As(err, &exists) || errors.As(err, &bad) {
		return cli.WrongInput(err)
	}
	return inputError(err)
}

func tellCopied(p cli.Process, asJSON bool, from config.FileOrURL, to string) error {
	info, err := os.Stat(to)
	if err != nil {
		return fmt.Errorf("size of the copy: %w", err)
	}
	if asJSON {
		return json.NewEncoder(p.Stdout).Encode(copied{From: from, To: to, Bytes: info.Size()})
	}
	_, err = fmt.Fprintf(p.Stdout, "%s is a checked copy of %s, %d bytes\n", to, from, info.Size())
	return err
}
