package dev.millrace.epcontext;

import java.io.IOException;
import java.io.OutputStream;

/** Takes context binaries to wherever they are to be kept. */
@FunctionalInterface
public interface BinaryTarget {
    /** A stream for the binary that context nodes will call {@code name}; it is closed when all of it was written. */
    OutputStream open(String name) throws IOException;
}
