package dev.millrace.graph.lower;

import dev.millrace.graph.ir.Attribute;
import dev.millrace.graph.ir.Value;
import dev.millrace.graph.op.OpName;
import dev.millrace.graph.tensor.ElementType;

/**
 * WordConvEmbedding: words as the largest values of filters that pass over their letters. A word ends where its letters are
 * 0, but is never shorter than a filter; one without letters is zeros.
 */
final class WordConvLowering {
    private WordConvLowering() {}

    static void write(Composer c) {
        Value letters = c.op(OpName.UNSQUEEZE, c.op(OpName.GATHER, c.input(3), c.input(0)), c.longs(1));
        Value passed = c.op(OpName.SQUEEZE, c.op(OpName.CONV, letters, c.input(1), c.input(2)), c.longs(3));
        Value ofWord = c.op(OpName.UNSQUEEZE, c.op(OpName.LESS_OR_EQUAL, places(c, passed), lastPlaces(c)), c.longs(1));
        Value hidden = c.scalar(ElementType.FLOAT, Double.NEGATIVE_INFINITY);
        Value largest = c.add(c.onnx(OpName.REDUCE_MAX, c.op(OpName.WHERE, ofWord, passed, hidden), c.longs(2))
                .with("keepdims", Attribute.of(0)));
        Value isWord = c.op(OpName.GREATER, firstLetters(c), c.scalar(ElementType.INT32, 0));
        c.result(c.op(OpName.WHERE, isWord, c.op(OpName.TANH, largest), c.scalar(ElementType.FLOAT, 0)));
    }

    private static Value firstLetters(Composer c) {
        return c.op(OpName.SLICE, c.input(0), c.longs(0), c.longs(1), c.longs(1));
    }

    private static Value places(Composer c, Value passed) {
        Value count = c.op(OpName.RESHAPE, c.extents(passed, 2, 3), c.longs());
        return c.op(OpName.RANGE, c.scalar(0), count, c.scalar(1));
    }

    /** The last place of the filters in each word. */
    private static Value lastPlaces(Composer c) {
        Value isLetter = c.op(OpName.GREATER, c.input(0), c.scalar(ElementType.INT32, 0));
        Value letters = c.op(OpName.REDUCE_SUM, c.cast(isLetter, ElementType.INT64), c.longs(1));
        return c.op(OpName.MAX, c.op(OpName.SUB, letters, c.extents(c.input(1), 2, 3)), c.longs(0));
    }
}
