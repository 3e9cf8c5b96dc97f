package dev.millrace.server.repository;

import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** The temporary folders of files that requests brought, by the names of their models. */
final class BroughtFiles implements AutoCloseable {
    private final Map<String, Path> folders = new HashMap<>();

    /** Whether the files of a model were brought by a request. */
    boolean has(String model) {
        return folders.containsKey(model);
    }

    /** Keeps the folder of a model in the place of the former one, which is deleted. */
    void keep(String model, Path folder) {
        forget(model);
        folders.put(model, folder);
    }

    /** Deletes the folder of a model, if there is one. */
    void forget(String model) {
        Path former = folders.remove(model);
        if (former != null) {
            OverrideFiles.delete(former);
        }
    }

    /** Deletes all folders. */
    @Override
    public void close() {
        List.copyOf(folders.keySet()).forEach(this::forget);
    }
}
