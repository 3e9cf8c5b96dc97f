package dev.millrace.pipelines.text;

/**
 * A passage beside a query.
 *
 * @param index the index of the passage among those that were given
 * @param score the model's logit: larger is more relevant
 */
public record RankedText(int index, String text, double score) {}
