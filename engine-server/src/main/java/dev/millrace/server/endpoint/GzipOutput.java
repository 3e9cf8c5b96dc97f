package dev.millrace.server.endpoint;

import java.io.IOException;
import java.io.OutputStream;
import java.util.zip.GZIPOutputStream;

/** The format gzip with a level of the deflate algorithm. */
public final class GzipOutput extends GZIPOutputStream {
    private static final int CHUNK = 1 << 13;

    public GzipOutput(OutputStream target, int level) throws IOException {
        super(target, CHUNK);
        def.setLevel(level);
    }
}
