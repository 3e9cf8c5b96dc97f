package dev.millrace.server.model;

import dev.millrace.graph.EngineException;
import dev.millrace.pipelines.text.CrossEncoder;
import dev.millrace.text.Embedder;
import dev.millrace.text.LanguageModel;
import dev.millrace.text.Tokenizer;
import org.jspecify.annotations.Nullable;

/**
 * A model of texts: one that generates, one whose outputs are vectors, or one that reads a query and a text together.
 *
 * @param generates the language model, or null
 * @param embeds what makes vectors, or null
 * @param ranks what scores a text for a query, or null
 */
public record TextModel(
        Tokenizer tokenizer,
        @Nullable LanguageModel generates,
        @Nullable Embedder embeds,
        @Nullable CrossEncoder ranks) implements AutoCloseable {
    /** Returns the language model; refuses a model that makes vectors. */
    public LanguageModel languageModel(String name) {
        if (generates == null) {
            throw EngineException.invalidArgument("model '" + name + "' generates no text");
        }
        return generates;
    }

    /** Returns what makes vectors; refuses a model that generates. */
    public Embedder embedder(String name) {
        if (embeds == null) {
            throw EngineException.invalidArgument("model '" + name + "' makes no vectors of texts");
        }
        return embeds;
    }

    @Override
    public void close() {
        if (generates != null) {
            generates.close();
        }
    }
}
