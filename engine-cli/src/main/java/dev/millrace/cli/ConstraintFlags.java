package dev.millrace.cli;

import dev.millrace.text.TextConstraint;
import dev.millrace.text.Tokenizer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The flags that bind generated text, of which one may be given. */
final class ConstraintFlags {
    @Option(
            names = "--regex",
            paramLabel = "PATTERN",
            description = "Generate text that a regular expression matches as a whole.")
    private @Nullable String regex;

    @Option(names = "--json", description = "Generate a JSON value.")
    private boolean json;

    @Option(
            names = "--json-schema",
            paramLabel = "FILE",
            description = "Generate a JSON value that fulfils the JSON schema in a file.")
    private @Nullable Path jsonSchema;

    @Option(
            names = "--grammar",
            paramLabel = "FILE",
            description = "Generate text of the grammar in a file, in the GBNF notation of llama.cpp.")
    private @Nullable Path grammar;

    /** Refuses flags that exclude each other. */
    void check() {
        List<String> given = new ArrayList<>();
        if (regex != null) {
            given.add("--regex");
        }
        if (json) {
            given.add("--json");
        }
        if (jsonSchema != null) {
            given.add("--json-schema");
        }
        if (grammar != null) {
            given.add("--grammar");
        }
        if (given.size() > 1) {
            throw new UsageException(String.join(" and ", given) + " exclude each other");
        }
    }

    /** Returns the constraint for a tokenizer's texts; null if none is given. */
    @Nullable
    TextConstraint constraint(Tokenizer tokenizer) throws IOException {
        if (regex != null) {
            return TextConstraint.regex(tokenizer, regex);
        }
        if (json) {
            return TextConstraint.json(tokenizer);
        }
        if (jsonSchema != null) {
            return TextConstraint.jsonSchema(tokenizer, Files.readString(jsonSchema));
        }
        return grammar == null ? null : TextConstraint.grammar(tokenizer, Files.readString(grammar));
    }
}
