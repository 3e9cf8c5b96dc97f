package dev.millrace.models;

import java.nio.file.Path;

/**
 * A model whose files are on this machine.
 *
 * @param file the model file
 * @param folder the folder of the source, where configurations and tokenizers lie
 */
public record FetchedModel(Path file, Path folder) {}
