package dev.millrace.server.repository;

import dev.millrace.models.FetchListener;
import dev.millrace.models.FetchOptions;
import dev.millrace.models.FetchedModel;
import dev.millrace.models.ModelFiles;
import dev.millrace.models.ModelName;
import dev.millrace.server.source.ModelSource;
import java.nio.file.Path;

/** The source of models by name: hubs, packages, addresses and files, as the environment describes them. */
final class NamedModelSource implements ModelSource {
    @Override
    public boolean accepts(String name) {
        return ModelName.isName(name);
    }

    @Override
    public FetchedModel fetch(String name) {
        return fetch(name, FetchListener.NONE);
    }

    @Override
    public FetchedModel fetch(String name, FetchListener listener) {
        var options = FetchOptions.builder().listener(listener).build();
        return ModelFiles.with(options).fetchWithFolder(ModelName.parse(name));
    }

    @Override
    public Path repository(String name) {
        return ModelName.isInStore(name)
                ? ModelFiles.ofEnvironment().mirror(ModelName.parse(name))
                : ModelSource.super.repository(name);
    }
}
