package dev.millrace.text;

import dev.millrace.graph.EngineException;
import dev.millrace.session.generate.GenerationOptions;
import dev.millrace.session.generate.TokenConstraint;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The tokens with which a generation begins.
 *
 * @param repeated the number of chars with which the answer repeats the end of the prompt
 */
record Prompt(long[] ids, GenerationOptions options, int repeated) {
    /** Returns the prompt without its last token, whose text the answer has to repeat; the whole prompt if it cannot. */
    static Prompt healed(Tokenizer tokenizer, long[] ids, GenerationOptions options) {
        if (ids.length < 2) {
            return new Prompt(ids, options, 0);
        }
        long last = ids[ids.length - 1];
        long[] kept = Arrays.copyOf(ids, ids.length - 1);
        byte[] bytes = tokenizer.table().bytes(last, TextConstraint.isFirst(tokenizer, kept));
        int length = new Detokenizer(tokenizer, kept).add(last).length();
        if (bytes == null || length == 0) {
            return new Prompt(ids, options, 0);
        }
        TextConstraint constraint = constraint(tokenizer, options.constraint());
        GenerationOptions healing = options.toBuilder()
                .constraint(prompt -> constraint.begin(prompt, bytes))
                .build();
        return new Prompt(kept, healing, length);
    }

    private static TextConstraint constraint(Tokenizer tokenizer, @Nullable TokenConstraint given) {
        return switch (given) {
            case null -> TextConstraint.none(tokenizer);
            case TextConstraint text -> text;
            default ->
                throw EngineException.invalidArgument("token healing goes together with a TextConstraint, and not with "
                        + given.getClass().getSimpleName());
        };
    }
}
