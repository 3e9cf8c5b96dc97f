package dev.millrace.bench.agree;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.zip.CRC32C;
import java.util.zip.CheckedInputStream;

/** Seeds that a model's content decides, so that it gets the same inputs wherever it lies. */
final class Seeds {
    private Seeds() {}

    static long of(Path model, long seed) throws IOException {
        var sum = new CRC32C();
        try (InputStream in = new CheckedInputStream(Files.newInputStream(model), sum)) {
            in.transferTo(OutputStream.nullOutputStream());
        }
        return sum.getValue() * 31 + seed;
    }
}
