package dev.millrace.server.source;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.Status;
import dev.millrace.models.FetchListener;
import dev.millrace.models.FetchedModel;
import java.nio.file.Path;

/**
 * A source of models other than the folders of a repository, such as an object store. The server finds implementations by
 * {@link java.util.ServiceLoader}, asks them before its own source of {@linkplain dev.millrace.models.ModelName names},
 * and takes the first that accepts a text.
 */
public interface ModelSource {
    /** Whether a text names a model of this source: {@code s3://bucket/model.onnx}, for example. */
    boolean accepts(String name);

    /**
     * Brings a model to this machine, or finds it there. The server calls this whenever it looks for changes. A model that
     * has not changed has the same path and the same file as before. A changed one has another path, because the file of a
     * version that serves must not change. The calling thread is interrupted when nobody wants the model any more.
     *
     * @throws EngineException if the model cannot be had; versions that were loaded before go on serving, and the index of
     *     the repository has the message
     */
    FetchedModel fetch(String name);

    /** Does as {@link #fetch(String)} does, and tells a listener of its downloads, which the repository's index shows. */
    default FetchedModel fetch(String name, FetchListener listener) {
        return fetch(name);
    }

    /**
     * Brings a folder of models to this machine, or brings it up to date. The server calls this at the start, whenever it looks for
     * changes, and before it loads a model on request. The path is the same each time. Files that have not changed stay as they
     * are; the others are replaced by renaming.
     */
    default Path repository(String name) {
        throw new EngineException(
                Status.NOT_IMPLEMENTED, "'" + name + "' is in a source that has no folders of models");
    }
}
