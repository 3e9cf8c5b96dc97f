package dev.millrace.session.generate;

/**
 * The numbers of tokens of a generation so far.
 *
 * @param prompt the tokens of the prompt
 * @param cached those of them whose keys and values an earlier generation had left, so that no run computed them
 * @param generated the tokens that were generated, a stop token included
 */
public record TokenUsage(int prompt, int cached, int generated) {}
