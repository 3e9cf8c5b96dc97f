package dev.millrace.providers.spi;

import java.io.InputStream;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * A container in a provider's own format, which an EPContext node holds or names. The engine has confined the name to the
 * folder of the model, and checks nothing in the content.
 */
public interface ContextBlob {
    /** The name that the node has for it; empty where the node holds the content. */
    String name();

    /** The file, or null where the node holds the content or a callback of the session brings it. */
    @Nullable
    Path path();

    /**
     * The content, read-only: mapped or read when it is first asked for. It can be used until the session is closed, from any
     * thread.
     */
    MemorySegment bytes();

    /** A stream of the content from its beginning. */
    InputStream stream();
}
