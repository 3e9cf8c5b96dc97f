package dev.millrace.cli;

import dev.millrace.cli.model.KnownModel;
import dev.millrace.cli.model.ModelCache;
import dev.millrace.cli.model.ModelCatalog;
import dev.millrace.graph.EngineException;
import dev.millrace.graph.Status;
import dev.millrace.models.FetchOptions;
import dev.millrace.models.FetchedModel;
import dev.millrace.models.ModelFiles;
import dev.millrace.models.ModelName;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.function.BiFunction;
import org.jspecify.annotations.Nullable;

/**
 * A model as the command line names it: a file, a known name, or the name of a file of a hub, a package or an address.
 *
 * @param label what was typed
 */
public record ModelArgument(
        String label, Path file, @Nullable KnownModel known) {
    static final String DESCRIPTION =
            "A model file, a name that 'models' lists, or a name like hf:ORG/NAME/onnx/model.onnx.";
    static final String FOLDER_DESCRIPTION =
            "A folder of a language model, a model file, a name that 'models' lists, or" + " a name like hf:ORG/NAME.";
    static final String HUB = "hf:";

    /** Resolves a name or path; what a name means is fetched unless it was fetched before. */
    public static ModelArgument of(String nameOrPath) {
        return of(nameOrPath, ModelFiles::fetch);
    }

    /** Resolves a name or path as {@link #of} does, and fetches tokenizer and configurations with the model of a hub. */
    static ModelArgument withFolder(String nameOrPath) {
        return of(nameOrPath, ModelFiles::fetchWithFolder);
    }

    private static ModelArgument of(String nameOrPath, BiFunction<ModelFiles, ModelName, FetchedModel> fetch) {
        KnownModel known = ModelCatalog.find(nameOrPath);
        if (known != null) {
            Path file = ModelCache.ofUser().fetch(known);
            return new ModelArgument(nameOrPath, file, known);
        }
        if (ModelName.isName(nameOrPath)) {
            return fetched(nameOrPath, fetch);
        }
        Path file = Path.of(nameOrPath);
        if (!Files.exists(file)) {
            throw new EngineException(
                    Status.NO_SUCH_FILE,
                    "there is no model file or folder " + file.toAbsolutePath() + ", and 'millrace models' lists no '"
                            + nameOrPath + "'");
        }
        return new ModelArgument(nameOrPath, file, knownFile(file));
    }

    private static ModelArgument fetched(String name, BiFunction<ModelFiles, ModelName, FetchedModel> fetch) {
        try (var bar = new FetchBar()) {
            var models = ModelFiles.with(FetchOptions.builder().listener(bar).build());
            Path file = fetch.apply(models, ModelName.parse(name)).file();
            return new ModelArgument(name, file, knownFile(file));
        }
    }

    private static @Nullable KnownModel knownFile(Path file) {
        Path name = file.getFileName();
        return name == null ? null : ModelCatalog.findByFile(name.toString());
    }
}
