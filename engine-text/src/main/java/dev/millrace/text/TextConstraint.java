package dev.millrace.text;

import dev.millrace.graph.EngineException;
import dev.millrace.session.generate.GenerationOptions;
import dev.millrace.session.generate.TokenConstraint;
import dev.millrace.text.constraint.ConstraintState;
import dev.millrace.text.constraint.Matcher;
import dev.millrace.text.constraint.Matchers;
import dev.millrace.text.constraint.TokenTable;
import dev.millrace.text.json.Json;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.function.Function;

/**
 * Binds generated text to a regular expression, to JSON, to a JSON schema or to a grammar: see
 * {@link GenerationOptions.Builder#constraint}. It is compiled once for a tokenizer, whose tokens must be pieces of text, as in
 * byte-level BPE and SentencePiece. Whatever cannot be compiled is refused with INVALID_ARGUMENT. Immutable and thread-safe.
 */
public final class TextConstraint implements TokenConstraint {
    private static final int MOST_SCHEMA_BYTES = 1 << 20;

    private final Tokenizer tokenizer;
    private final Matcher matcher;
    private final boolean isBound;

    private TextConstraint(Tokenizer tokenizer, Matcher matcher, boolean isBound) {
        this.tokenizer = tokenizer;
        this.matcher = matcher;
        this.isBound = isBound;
    }

    /** The texts that match a whole regular expression in Java's syntax, without look-around and back references. */
    public static TextConstraint regex(Tokenizer tokenizer, String pattern) {
        ApiBoundary.requireArgument(pattern, "pattern");
        return of(tokenizer, "regular expression", table -> Matchers.regex(table, pattern));
    }

    /** A JSON value of any type. */
    public static TextConstraint json(Tokenizer tokenizer) {
        return of(tokenizer, "JSON", Matchers::json);
    }

    /**
     * The JSON values that fulfil a schema.
     *
     * @param schema a JSON schema of draft 2020-12 as JSON
     */
    public static TextConstraint jsonSchema(Tokenizer tokenizer, String schema) {
        byte[] bytes = ApiBoundary.requireArgument(schema, "schema").getBytes(StandardCharsets.UTF_8);
        if (bytes.length > MOST_SCHEMA_BYTES) {
            throw EngineException.invalidArgument(
                    "the schema has " + bytes.length + " bytes; " + MOST_SCHEMA_BYTES + " are possible");
        }
        return of(tokenizer, "schema", table -> Matchers.jsonSchema(table, Json.parse(bytes, "schema")));
    }

    /**
     * The texts of a grammar.
     *
     * @param grammar rules in GBNF, the notation of llama.cpp, the first of which is called {@code root}
     */
    public static TextConstraint grammar(Tokenizer tokenizer, String grammar) {
        ApiBoundary.requireArgument(grammar, "grammar");
        return of(tokenizer, "grammar", table -> Matchers.grammar(table, grammar));
    }

    /** Any text. */
    static TextConstraint none(Tokenizer tokenizer) {
        return new TextConstraint(tokenizer, Matchers.any(tokenizer.table()), false);
    }

    private static TextConstraint of(Tokenizer tokenizer, String place, Function<TokenTable, Matcher> compiled) {
        TokenTable table = ApiBoundary.requireArgument(tokenizer, "tokenizer").table();
        return ApiBoundary.guarded(place, () -> new TextConstraint(tokenizer, compiled.apply(table), true));
    }

    /** Whether a text is a whole one of the constraint. */
    public boolean matches(String text) {
        return matcher.matches(ApiBoundary.requireArgument(text, "text").getBytes(StandardCharsets.UTF_8));
    }

    @Override
    public State begin(long[] prompt) {
        return begin(prompt, new byte[0]);
    }

    /** Begins behind a prompt and bytes that the answer repeats before its text. */
    State begin(long[] prompt, byte[] repeated) {
        return new ConstraintState(matcher, isBound, repeated, isFirst(tokenizer, prompt));
    }

    /** Whether a token behind a prompt is decoded as the first of a text, since the tokens before it have no text. */
    static boolean isFirst(Tokenizer tokenizer, long[] prompt) {
        int from = Math.max(0, prompt.length - Detokenizer.AROUND);
        return tokenizer.decode(Arrays.copyOfRange(prompt, from, prompt.length)).isEmpty();
    }
}
