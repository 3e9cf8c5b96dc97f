package dev.millrace.session.generate;

import org.jspecify.annotations.Nullable;

/**
 * A token that a model has generated.
 *
 * @param id its number in the vocabulary
 * @param index its index among the generated tokens, from 0 on
 * @param ending the reason why none follows, in the last token; else null
 * @param likelihood its log probability, if {@link GenerationOptions#logprobs()} asks for it; else null
 * @param usage the numbers of tokens up to this one
 */
public record Token(
        long id,
        int index,
        @Nullable Ending ending,
        @Nullable TokenLikelihood likelihood,
        TokenUsage usage) {}
