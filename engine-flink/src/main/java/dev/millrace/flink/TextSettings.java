package dev.millrace.flink;

import dev.millrace.session.Inference;
import dev.millrace.text.Embedder;
import dev.millrace.text.Pooling;
import dev.millrace.text.Tokenizer;
import java.io.Serializable;
import java.nio.file.Path;
import org.apache.flink.table.api.ValidationException;
import org.apache.flink.table.types.logical.ArrayType;
import org.apache.flink.table.types.logical.LogicalTypeFamily;
import org.apache.flink.table.types.logical.LogicalTypeRoot;
import org.apache.flink.table.types.logical.RowType;
import org.jspecify.annotations.Nullable;

/**
 * The settings of a model of texts, whose table has a column of texts and a column of vectors.
 *
 * @param tokenizer the place of the {@code tokenizer.json}; null for the file beside the model
 * @param pooling the way from vectors of tokens to the vector of a text
 * @param normalised whether vectors have length one
 * @param maxTokens the number of tokens to which longer texts are cut; 0 for the number in the tokenizer's file
 */
record TextSettings(@Nullable String tokenizer, Pooling pooling, boolean normalised, int maxTokens)
        implements Serializable {
    /** The most tokens of a text where the tokenizer's file does not say. */
    private static final int MOST_TOKENS = 512;

    /** Throws a {@link ValidationException} unless there is one column of texts, and one of vectors. */
    static void check(RowType input, RowType output) {
        if (input.getFieldCount() != 1 || !input.getTypeAt(0).is(LogicalTypeFamily.CHARACTER_STRING)) {
            throw new ValidationException(
                    "a model of texts has one input column of type STRING; the columns are " + input.asSummaryString());
        }
        if (output.getFieldCount() != 1
                || !(output.getTypeAt(0) instanceof ArrayType array)
                || array.getElementType().getTypeRoot() != LogicalTypeRoot.FLOAT) {
            throw new ValidationException(
                    "a model of texts has one output column of type ARRAY<FLOAT>; the columns are "
                            + output.asSummaryString());
        }
    }

    /** Returns the embedder over a model with the tokenizer of a file. */
    Embedder embedder(Inference inference, Path file) {
        Tokenizer read = Tokenizer.read(file);
        int own = read.mostTokens() > 0 ? read.mostTokens() : MOST_TOKENS;
        Tokenizer cut = read.unbounded().cutTo(maxTokens > 0 ? maxTokens : own).paddedTo(0);
        return Embedder.of(inference, cut).pooling(pooling).normalising(normalised);
    }
}
