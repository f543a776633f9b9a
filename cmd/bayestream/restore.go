package main

import (
	"context"

	"bayestream/internal/shell/config"
	"bayestream/internal/tools/cli"
	"bayestream/internal/tools/lab/modelfile"
)

func init() {
	register(verb{
		name: "restore", group: "Keep it", place: 3,
		summary: "Restore a model file from a backup.",
		example: "bayestream restore --from=model.db.gz --model=bayestream-ingest.db",
		run:     cli.Watched(runRestore),
		outline: outline[restoreFlags](&restoreCommand),
	})
}

// restoreFlags are the flags of the verb restore.
type restoreFlags struct {
	From  config.FileOrURL `required:"" complete:"file" placeholder:"FILE|URL" help:"Backup, compressed or not, or the snapshot of a running worker."`
	Model string           `required:"" type:"path" placeholder:"OUT.db" help:"Output model file. It must not exist."`
	JSON  bool             `name:"json" help:"Write the result as one JSON object."`
}

var restoreCommand = config.Command{
	Name: program + " restore",
	About: "Restores a model file from a backup, and verifies it before it gets its name. A worker that starts from it folds the records of the model log after " +
		"the position of the backup. An existing file is not overwritten, since a worker may use it.",
	Examples: []config.Example{
		{What: "Before a worker is started on a new machine", Type: "bayestream restore --from=model.db.gz --model=bayestream-ingest.db"},
	},
}

func runRestore(ctx context.Context, p cli.Process) error {
	var f restoreFlags
	if err := restoreCommand.Parse(&f, p.Args); err != nil {
		return err
	}
	if err := modelfile.Restore(ctx, f.From.Reveal(), f.Model); err != nil {
		return copyError(err)
	}
	return tellCopied(p, f.JSON, f.From, f.Model)
}
