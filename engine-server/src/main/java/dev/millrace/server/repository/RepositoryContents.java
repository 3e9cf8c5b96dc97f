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
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** The models that a server has: those in folders, here or in a source, and those of which only the source is known. */
public final class RepositoryContents {
    private final List<Path> folders;
    private final List<RemoteFolder> remotes;
    private final Map<String, String> named;
    private final List<ModelSource> sources;

    private RepositoryContents(
            List<Path> folders, List<RemoteFolder> remotes, Map<String, String> named, List<ModelSource> sources) {
        this.folders = folders;
        this.remotes = remotes;
        this.named = named;
        this.sources = sources;
    }

    /**
     * Returns the contents with the sources that are on the class path, and that of names.
     *
     * @param remotes folders of models in sources
     * @param named the names of models in their sources, by the names that they are served under
     */
    public static RepositoryContents of(List<Path> folders, List<String> remotes, Map<String, String> named) {
        var sources = new ArrayList<ModelSource>();
        ServiceLoader.load(ModelSource.class).forEach(sources::add);
        sources.add(new NamedModelSource());
        return new RepositoryContents(
                folders,
                remotes.stream()
                        .map(each -> new RemoteFolder(each, sourceOf(sources, each)))
                        .toList(),
                named,
                sources);
    }

    private static ModelSource sourceOf(List<ModelSource> sources, String name) {
        return sources.stream()
                .filter(each -> each.accepts(name))
                .findFirst()
                .orElseThrow(() -> EngineException.invalidArgument("no source of models accepts '" + name + "'"));
    }

    /** The folders in sources, which take time to be brought up to date. */
    List<RemoteFolder> remotes() {
        return remotes;
    }

    /** Lists the models; the first folder that has a name wins. Nothing is fetched. */
    Map<String, StoredModel> stored() {
        return stored(_ -> true);
    }

    /** Returns a model; null if there is none of this name. Nothing is fetched, and no other folder is read. */
    @Nullable
    StoredModel stored(String name) {
        return stored(name::equals).get(name);
    }

    private Map<String, StoredModel> stored(Predicate<String> names) {
        var all = new LinkedHashMap<String, StoredModel>();
        for (Path folder : folders) {
            StoredModel.list(folder, names).forEach(each -> all.putIfAbsent(each.name(), each));
        }
        for (RemoteFolder each : remotes) {
            Path copy = each.copy();
            if (copy != null) {
                StoredModel.list(copy, names).forEach(model -> all.putIfAbsent(model.name(), model));
            }
        }
        named.forEach((name, source) -> {
            if (!names.test(name)) {
                return;
            }
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
        FetchedModel fetched = sourceOf(sources, source).fetch(source, listener);
        return stored.withSource(source).at(fetched.file());
    }
}
