package dev.millrace.djl;

import ai.djl.ndarray.NDArray;
import ai.djl.ndarray.NDList;
import ai.djl.ndarray.types.DataType;
import java.math.BigDecimal;
import java.math.MathContext;
import java.util.Arrays;
import java.util.stream.Collectors;

/** Arrays as text, so that a test compares type, shape and elements at once. */
final class ArrayText {
    private ArrayText() {}

    /** Returns the type, the shape, and the elements with four digits. */
    static String of(NDArray array) {
        String elements = array.getDataType() == DataType.BOOLEAN
                ? Arrays.toString(array.toBooleanArray())
                : Arrays.stream(array.toArray()).map(ArrayText::number).collect(Collectors.joining(", ", "[", "]"));
        return array.getDataType() + " " + array.getShape() + " " + elements;
    }

    static String of(NDList arrays) {
        return arrays.stream().map(ArrayText::of).collect(Collectors.joining("; "));
    }

    private static String number(Number number) {
        double value = number.doubleValue();
        if (Double.isNaN(value) || Double.isInfinite(value) || value == 0) {
            return value == 0 ? "0" : String.valueOf(value);
        }
        return new BigDecimal(value)
                .round(new MathContext(4))
                .stripTrailingZeros()
                .toPlainString();
    }
}
