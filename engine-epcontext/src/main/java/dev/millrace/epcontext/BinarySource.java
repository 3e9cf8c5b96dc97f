package dev.millrace.epcontext;

import java.io.IOException;
import java.lang.foreign.MemorySegment;

/** Brings context binaries from wherever they are kept: encrypted, in an archive, out of a sandbox. */
@FunctionalInterface
public interface BinarySource {
    /**
     * The whole binary that a context node calls {@code name}. Native memory that any thread may read is used as it is, and
     * stays as it is while a session uses it; other memory is copied. What this throws fails the session.
     */
    MemorySegment read(String name) throws IOException;
}
