package dev.millrace.bench.serve;

import java.nio.file.Path;

/**
 * The files of a session: its model and the inputs of its requests.
 *
 * @param inputs a file that {@link dev.millrace.bench.compare.RawInputs} reads
 */
record ServedFiles(Path model, Path inputs) {}
