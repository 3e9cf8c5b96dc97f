package dev.millrace.pipelines.text;

/**
 * The part of a passage that answers a question.
 *
 * @param start the index of its first char in the passage
 * @param end the index behind its last char
 * @param score the probability that it begins there, times the probability that it ends there
 */
public record FoundAnswer(String text, int start, int end, double score) {}
