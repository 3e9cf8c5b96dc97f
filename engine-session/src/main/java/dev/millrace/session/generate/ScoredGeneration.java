package dev.millrace.session.generate;

/**
 * A text of a beam search.
 *
 * @param score the sum of the log probabilities of its tokens, divided by a power of their number
 *     ({@link BeamOptions#lengthPenalty()})
 */
public record ScoredGeneration(Generation generation, double score) {}
