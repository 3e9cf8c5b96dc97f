package dev.millrace.spring.ai;

import dev.millrace.graph.EngineException;
import dev.millrace.session.Inference;
import dev.millrace.spring.boot.MillraceSessions;
import dev.millrace.spring.boot.ModelLocation;
import dev.millrace.spring.boot.ModelOpenException;
import dev.millrace.spring.boot.ServedSession;
import dev.millrace.text.Tokenizer;
import java.io.IOException;
import java.util.List;
import java.util.Objects;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.core.io.Resource;
import org.springframework.core.io.ResourceLoader;

/**
 * A session of a model that reads texts, and its tokenizer.
 *
 * @param name the name of the session
 */
record TextSession(String name, Inference inference, Tokenizer tokenizer) {
    private static final List<String> PADDING = List.of("[PAD]", "<pad>");

    /**
     * Opens a session.
     *
     * @param prefix the prefix of the properties, whose last part is the name of a session that is opened
     * @param session the name of a session that is open; null to open one
     * @param tokenizer the location of the tokenizer; null for the file beside the model
     */
    static TextSession open(
            MillraceSessions sessions,
            ResourceLoader resources,
            String prefix,
            @Nullable String session,
            @Nullable String tokenizer) {
        String name = prefix.substring(prefix.lastIndexOf('.') + 1);
        ServedSession served = session == null ? sessions.open(name, prefix) : named(sessions, prefix, session);
        String model = Objects.requireNonNull(served.properties().model());
        String place = tokenizer == null ? "tokenizer.json beside " + model : tokenizer;
        try {
            Resource file = tokenizer == null
                    ? ModelLocation.of(model, resources).beside("tokenizer.json")
                    : ModelLocation.of(tokenizer, resources).model();
            return new TextSession(served.name(), served, read(file));
        } catch (EngineException | IOException e) {
            throw new ModelOpenException(prefix + ".tokenizer", place, e);
        }
    }

    private static ServedSession named(MillraceSessions sessions, String prefix, String name) {
        try {
            return sessions.get(name);
        } catch (IllegalArgumentException e) {
            throw new ModelOpenException(prefix + ".session", name, e);
        }
    }

    /** Returns what a model is used for; throws if its properties, such as the name of an output, do not suit it. */
    <T> T used(String prefix, Supplier<T> use) {
        try {
            return use.get();
        } catch (EngineException e) {
            throw new ModelOpenException(prefix + ".model", name, e);
        }
    }

    /** Returns a number of tokens or documents of a property. */
    static int count(int number, String property) {
        if (number < 0) {
            throw new IllegalArgumentException(property + " is " + number + "; it is 0 or more");
        }
        return number;
    }

    /** Returns the tokenizer for batches of texts, which cuts them after a number of tokens; 0 for the number in its file. */
    Tokenizer cutTo(int tokens) {
        return padded(tokens > 0 ? tokenizer.unbounded().cutTo(tokens) : tokenizer);
    }

    /** Returns a tokenizer that pads, by a usual token where its file names none. */
    private static Tokenizer padded(Tokenizer tokenizer) {
        return tokenizer.padToken() != null
                ? tokenizer.paddedTo(0)
                : PADDING.stream()
                        .filter(tokenizer::has)
                        .findFirst()
                        .map(tokenizer::paddedWith)
                        .orElse(tokenizer);
    }

    private static Tokenizer read(Resource file) throws IOException {
        return file.isFile() ? Tokenizer.read(file.getFile().toPath()) : Tokenizer.of(file.getContentAsByteArray());
    }
}
