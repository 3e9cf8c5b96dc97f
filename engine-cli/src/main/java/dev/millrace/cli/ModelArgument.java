package dev.millrace.cli;

import dev.millrace.cli.model.KnownModel;
import dev.millrace.cli.model.ModelCache;
import dev.millrace.cli.model.ModelCatalog;
import dev.millrace.graph.EngineException;
import dev.millrace.graph.Status;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * A model as the command line names it: a file, or a known name.
 *
 * @param label what was typed
 */
public record ModelArgument(
        String label, Path file, @Nullable KnownModel known) {
    /** Resolves a name or path; a known model that is not in the cache is fetched. */
    public static ModelArgument of(String nameOrPath) {
        KnownModel known = ModelCatalog.find(nameOrPath);
        if (known != null) {
            Path file = ModelCache.ofUser().fetch(known);
            return new ModelArgument(nameOrPath, file, known);
        }
        Path file = Path.of(nameOrPath);
        if (!Files.exists(file)) {
            throw new EngineException(
                    Status.NO_SUCH_FILE,
                    "there is no model file or folder " + file.toAbsolutePath() + ", and 'millrace models' lists no '"
                            + nameOrPath + "'");
        }
        Path name = file.getFileName();
        return new ModelArgument(nameOrPath, file, name == null ? null : ModelCatalog.findByFile(name.toString()));
    }
}
