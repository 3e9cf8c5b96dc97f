package dev.millrace.providers.cpu.elementwise;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Elements;
import dev.millrace.graph.tensor.Shape;
import dev.millrace.graph.tensor.Tensor;
import dev.millrace.providers.cpu.OneNode;
import java.util.List;
import org.junit.jupiter.api.Test;

class CastTest {
    private static final float[] BEYOND = {
        Float.POSITIVE_INFINITY, Float.NEGATIVE_INFINITY, Float.NaN, 3e9f, -3e9f, 0x1p64f, -2
    };

    private static long[] cast(ElementType to) {
        return OneNode.onnx("Cast", 13)
                .with("to", to.code())
                .run(Tensor.copyOf(BEYOND, BEYOND.length))
                .longs();
    }

    /** Conversions follow Java: the nearest integer, and 0 for NaN; narrow integers have the lower bits of an int. */
    @Test
    void floatsThatAreNoIntegers() {
        long most = Integer.MAX_VALUE;
        long least = Integer.MIN_VALUE;
        assertThat(cast(ElementType.INT32)).containsExactly(most, least, 0, most, least, most, -2);
        assertThat(cast(ElementType.INT16)).containsExactly(-1, 0, 0, -1, 0, -1, -2);
        assertThat(cast(ElementType.UINT8)).containsExactly(255, 0, 0, 255, 0, 255, 254);
        assertThat(cast(ElementType.UINT32))
                .containsExactly(0xffffffffL, 1L << 31, 0, 3_000_000_000L, 1L << 31, 0xffffffffL, 0xfffffffeL);
        assertThat(cast(ElementType.INT64))
                .containsExactly(
                        Long.MAX_VALUE, Long.MIN_VALUE, 0, 3_000_000_000L, -3_000_000_000L, Long.MAX_VALUE, -2);
        assertThat(cast(ElementType.UINT64))
                .containsExactly(-1, Long.MIN_VALUE, 0, 3_000_000_000L, -3_000_000_000L, -1, -2);
    }

    @Test
    void truthAsTextIsReadBack() {
        Tensor truths = Tensor.allocate(ElementType.BOOL, Shape.of(2));
        Elements.setLong(ElementType.BOOL, truths.segment(), 0, 1);
        Tensor texts =
                OneNode.onnx("Cast", 13).with("to", ElementType.STRING.code()).run(truths);
        assertThat(texts.strings()).containsExactly("True", "False");
        for (ElementType type : List.of(ElementType.BOOL, ElementType.INT8, ElementType.UINT64, ElementType.FLOAT16)) {
            Tensor back = OneNode.onnx("Cast", 13).with("to", type.code()).run(texts);
            assertThat(Elements.getDouble(type, back.segment(), 0))
                    .as("%s", type)
                    .isEqualTo(1);
            assertThat(Elements.getDouble(type, back.segment(), 1))
                    .as("%s", type)
                    .isZero();
        }
    }

    @Test
    void otherWordsAreNoNumbers() {
        OneNode cast = OneNode.onnx("Cast", 13).with("to", ElementType.INT8.code());
        assertThatThrownBy(() -> cast.run(Tensor.ofStrings(Shape.of(1), "yes")))
                .hasMessageContaining("'yes' is no number of type int8");
    }
}
