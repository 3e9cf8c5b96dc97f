package dev.millrace.pipelines;

/**
 * A class that a model recognises.
 *
 * @param index the index of the class in the model's output
 * @param label the name of the class
 * @param score the score, which is a probability unless the stage says otherwise
 */
public record ScoredLabel(int index, String label, double score) {}
