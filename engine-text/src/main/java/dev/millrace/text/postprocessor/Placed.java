package dev.millrace.text.postprocessor;

import dev.millrace.text.vocabulary.TextToken;

/**
 * A token in what a model gets.
 *
 * @param type the number of its kind of text, as BERT has 0 and 1
 * @param added whether it is a mark of the format and came from no text
 */
public record Placed(TextToken token, int type, boolean added) {}
