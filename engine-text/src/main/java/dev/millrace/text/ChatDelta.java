package dev.millrace.text;

import dev.millrace.session.generate.Ending;
import dev.millrace.session.generate.TokenUsage;
import org.jspecify.annotations.Nullable;

/**
 * A part of a streamed answer. The last one has an ending and may have no text.
 *
 * @param text the text that follows the parts before
 * @param usage the numbers of tokens so far
 * @param ending the reason why no part follows, in the last one; else null
 */
public record ChatDelta(
        String text, TokenUsage usage, @Nullable Ending ending) {}
