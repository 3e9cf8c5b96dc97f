package dev.millrace.session.generate;

import org.jspecify.annotations.Nullable;

/**
 * A token that a model has said.
 *
 * @param id its number in the vocabulary
 * @param index its place among those that were generated, from 0 on
 * @param ending of the last one, why none follows
 */
public record Token(long id, int index, @Nullable Ending ending) {}
