package dev.millrace.bench.serve;

import java.nio.file.Path;

/**
 * What a session serves.
 *
 * @param inputs a file that {@link dev.millrace.bench.compare.RawInputs} reads
 */
record ServedFiles(Path model, Path inputs) {}
