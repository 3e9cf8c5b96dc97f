package dev.millrace.server.repository;

import dev.millrace.graph.EngineException;
import dev.millrace.server.source.ModelSource;
import java.nio.file.Path;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/** A folder of models in a source, and its copy on this machine. */
final class RemoteFolder {
    private static final System.Logger LOG = System.getLogger(ModelRepository.class.getName());

    private final String name;
    private final ModelSource source;
    private final ReentrantLock updating = new ReentrantLock();
    private volatile @Nullable Path copy;

    RemoteFolder(String name, ModelSource source) {
        this.name = name;
        this.source = source;
    }

    /** Returns the copy; null before the first one. */
    @Nullable
    Path copy() {
        return copy;
    }

    /** Brings the copy up to date. If that fails, the former one stays; without one, the failure is thrown. */
    void update() throws InterruptedException {
        updating.lockInterruptibly();
        try {
            copy = source.repository(name);
        } catch (EngineException e) {
            if (copy == null || Thread.currentThread().isInterrupted()) {
                throw e;
            }
            LOG.log(System.Logger.Level.WARNING, "{0} is used as it was before: {1}", name, e.getMessage());
        } finally {
            updating.unlock();
        }
    }
}
