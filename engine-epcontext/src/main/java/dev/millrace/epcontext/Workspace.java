package dev.millrace.epcontext;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.Status;
import dev.millrace.graph.format.FileIdentity;
import dev.millrace.graph.format.FileUse;
import java.io.IOException;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * The open context binaries of one provider, shared by the sessions of an engine: sessions that name the same file
 * share its memory for as long as one of them is open. They may come and go in any order. Thread-safe.
 */
public final class Workspace {
    private static final int REMEMBERED = 1024;

    private final String provider;
    private final Map<FileId, Shared> open = new HashMap<>();
    /** The file states that were read completely and verified, the most recent ones. */
    private final Set<Checked> checked = new LinkedHashSet<>();

    Workspace(String provider) {
        this.provider = provider;
    }

    /** The identity of one state of one file: a file that was replaced or changed has another one. */
    private record FileId(Object key, long size, FileTime modified, FileTime changed, FileUse use) {
        static FileId of(FileIdentity file, FileUse use) throws IOException {
            Object key = file.key();
            return new FileId(
                    key == null ? file.path().toRealPath() : key, file.size(), file.modified(), file.changed(), use);
        }
    }

    /** A file state that was verified by its checksum, or by its digests. */
    private record Checked(FileId file, boolean byDigests) {}

    private static final class Shared {
        final ContextBinary binary;
        int users;

        Shared(ContextBinary binary) {
            this.binary = binary;
        }
    }

    /**
     * Opens a context binary, or shares it if it is open. The handle is to be closed when no
     * session needs it for new graphs.
     */
    public Handle open(Path file, FileUse use) {
        FileIdentity found;
        FileId id;
        try {
            found = FileIdentity.of(file);
            id = FileId.of(found, use);
        } catch (IOException e) {
            throw EngineException.wrap(Status.INVALID_GRAPH, "context binary " + file + " cannot be read", e);
        }
        synchronized (open) {
            Shared shared = open.computeIfAbsent(id, key -> new Shared(ContextBinary.open(found, key.use())));
            shared.users++;
            return new Handle(id, shared.binary);
        }
    }

    /** The number of open files. */
    public int openFiles() {
        synchronized (open) {
            return open.size();
        }
    }

    private void release(FileId id) {
        synchronized (open) {
            open.computeIfPresent(id, (key, shared) -> --shared.users == 0 ? null : shared);
        }
    }

    @Override
    public String toString() {
        return "workspace of " + provider + " with " + openFiles() + " files";
    }

    /** One user's reference to an open context binary. Closing it again does nothing. */
    public final class Handle implements AutoCloseable {
        private final FileId id;
        private final ContextBinary binary;
        private final AtomicBoolean closed = new AtomicBoolean();

        private Handle(FileId id, ContextBinary binary) {
            this.id = id;
            this.binary = binary;
        }

        public ContextBinary binary() {
            return binary;
        }

        /**
         * Checks the binary as {@link ContextBinary#check} does, once for each state of a file,
         * however often it is opened.
         */
        public void check() {
            once(new Checked(id, false), binary::check);
        }

        /**
         * Verifies the binary as {@link ContextBinary#prove} does, once for each state of a
         * file, however often it is opened.
         */
        public void prove() {
            once(new Checked(id, true), binary::prove);
        }

        private void once(Checked what, Runnable check) {
            synchronized (checked) {
                if (checked.contains(what)) {
                    return;
                }
            }
            check.run();
            synchronized (checked) {
                checked.add(what);
                if (checked.size() > REMEMBERED) {
                    checked.remove(checked.iterator().next());
                }
            }
        }

        @Override
        public void close() {
            if (closed.compareAndSet(false, true)) {
                release(id);
            }
        }
    }
}
