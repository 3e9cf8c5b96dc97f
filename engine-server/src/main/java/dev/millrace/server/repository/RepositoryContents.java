package dev.millrace.server.repository;

import dev.millrace.graph.EngineException;
import dev.millrace.models.FetchListener;
import dev.millrace.models.FetchedModel;
import dev.millrace.server.config.SourceParameters;
import dev.millrace.server.source.ModelSource;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.ServiceLoader;
import org.jspecify.annotations.Nullable;

/** The models that a server has: those in folders, and those of which only the source is known. */
public final class RepositoryContents {
    private final List<Path> folders;
    private final Map<String, String> named;
    private final List<ModelSource> sources;

    /**
     * @param named the names of models in their sources, by the names that they are served under
     * @param sources the sources in the order in which they are asked
     */
    RepositoryContents(List<Path> folders, Map<String, String> named, List<ModelSource> sources) {
        this.folders = List.copyOf(folders);
        this.named = Map.copyOf(named);
        this.sources = List.copyOf(sources);
    }

    /** Returns the contents with the sources that are on the class path, and that of names. */
    public static RepositoryContents of(List<Path> folders, Map<String, String> named) {
        var sources = new ArrayList<ModelSource>();
        ServiceLoader.load(ModelSource.class).forEach(sources::add);
        sources.add(new NamedModelSource());
        return new RepositoryContents(folders, named, sources);
    }

    /** Lists the models; the first folder that has a name wins. Nothing is fetched. */
    Map<String, StoredModel> stored() {
        var all = new LinkedHashMap<String, StoredModel>();
        for (Path folder : folders) {
            StoredModel.list(folder).forEach(each -> all.putIfAbsent(each.name(), each));
        }
        named.forEach((name, source) -> {
            StoredModel stored = all.get(name);
            all.put(name, stored == null ? StoredModel.ofSource(name, source) : stored.withSource(source));
        });
        return all;
    }

    /** Returns the name of a model in a source; null if its files are in the repository. */
    @Nullable
    String source(StoredModel stored) {
        return stored.source() == null ? SourceParameters.of(stored.config()) : stored.source();
    }

    /** Fetches a model from its source. It takes as long as the source does. */
    StoredModel fetched(StoredModel stored, String source, FetchListener listener) {
        if (!stored.versions().isEmpty()) {
            throw EngineException.invalidArgument(
                    "model '" + stored.name() + "' has both files in its repository and the source '" + source + "'");
        }
        for (ModelSource each : sources) {
            if (each.accepts(source)) {
                FetchedModel fetched = each.fetch(source, listener);
                return stored.withSource(source).at(fetched.file());
            }
        }
        throw EngineException.invalidArgument("no source of models accepts '" + source + "'");
    }
}
