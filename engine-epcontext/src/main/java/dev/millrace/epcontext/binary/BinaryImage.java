package dev.millrace.epcontext.binary;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Path;

/** The content of a context binary, ready to be written to a file or to memory. */
public interface BinaryImage {
    long byteSize();

    /** The digest by which a context node knows its binary. */
    String digest();

    /** Writes a file that does not exist yet. */
    void writeTo(Path file);

    /** Writes the binary to a stream that stays open. */
    void writeTo(OutputStream to) throws IOException;

    /** Returns the binary as one array; it must be smaller than 2 GB. */
    byte[] toBytes();
}
