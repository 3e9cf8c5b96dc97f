package dev.millrace.text;

/**
 * A text of a beam search.
 *
 * @param score the sum of the log probabilities of its tokens, divided by a power of their number, those of a stop text
 *     included
 */
public record ScoredCompletion(Completion completion, double score) {}
