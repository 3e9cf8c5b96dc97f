package dev.millrace.extensions;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Shape;
import dev.millrace.graph.tensor.Tensor;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tests of operators with tables of strings, on rows and segments, and of drawn boxes. */
class TablesAndRowsTest {
    private static final String VECTORS = "a\t0 0 1 2\nb\t0 1 2 3\nd\t0 1 3 4\n";

    private static Tensor longs(long... values) {
        return Tensor.copyOf(values, values.length);
    }

    static OneNode toVectors(String map, String unknown, String... texts) {
        return new OneNode("StringToVector", 1)
                .text("map", map)
                .text("unk", unknown)
                .input(texts);
    }

    static OneNode fromVectors(String map, long[] numbers, long... shape) {
        return new OneNode("VectorToString", 1)
                .text("map", map)
                .text("unk", "unknown_word")
                .input(Tensor.copyOf(numbers, shape));
    }

    static OneNode mapped() {
        return new OneNode("StringMapping", 1)
                .text("map", "excel spreadsheet\texcel\nimage\timage\npowerpoint presentations\tppt\n")
                .input("a", "excel spreadsheet", "powerpoint presentations");
    }

    static OneNode buckets() {
        return new OneNode("StringToHashBucket", 1)
                .input("abc", "abcdé", "$$^l!%*ù", "", "a", "A", "a text that is longer than 16 bytes")
                .input(longs(23));
    }

    static OneNode dense(long[] starts, long... values) {
        return new OneNode("RaggedTensorToDense", 1)
                .input(Tensor.copyOf(new long[0], 0))
                .input(longs(values))
                .input(longs(-1))
                .input(longs(starts));
    }

    static OneNode sums(float[] data, long... segments) {
        return new OneNode("SegmentSum", 1)
                .input(Tensor.copyOf(data, segments.length, data.length / segments.length))
                .input(longs(segments));
    }

    static OneNode boxes(String mode, long thickness, long byClass, float... numbers) {
        byte[] grey = new byte[12 * 16 * 3];
        Arrays.fill(grey, (byte) 7);
        Tensor image = Tensor.allocate(ElementType.UINT8, Shape.of(12, 16, 3));
        MemorySegment.copy(grey, 0, image.segment(), ValueLayout.JAVA_BYTE, 0, grey.length);
        return new OneNode("com.microsoft.extensions", "DrawBoundingBoxes", 1)
                .text("mode", mode)
                .flag("thickness", thickness)
                .flag("colour_by_classes", byClass)
                .input(image)
                .input(Tensor.copyOf(numbers, numbers.length / 6, 6));
    }

    static OneNode decoder(long... ids) {
        OneNode pieces = TokenizersTest.sentencePieces();
        return new OneNode("SentencepieceDecoder", 1)
                .bytes("model", pieces.bytesOf("model"))
                .input(longs(ids));
    }

    @Test
    void vectorsOfStringsAreFoundAsDocumented() {
        Tensor made = toVectors(VECTORS, "0 0 0 0", "a", "d", "e").run().getFirst();
        assertThat(made.shape()).isEqualTo(Shape.of(3, 4));
        assertThat(made.longs()).containsExactly(0, 0, 1, 2, 0, 1, 3, 4, 0, 0, 0, 0);
        assertThatThrownBy(() -> toVectors(VECTORS, "0 0", "a").run()).hasMessageContaining("its unk has 2 numbers");
        assertThatThrownBy(() -> toVectors("a\tx", "0", "a").run()).hasMessageContaining("no vector of whole numbers");
        assertThatThrownBy(() -> toVectors("a 1", "0", "a").run()).hasMessageContaining("no string, tab and value");
        assertThatThrownBy(() -> toVectors("a\t1\nb\t1 2", "0", "a").run()).hasMessageContaining("different lengths");
    }

    @Test
    void stringsOfVectorsAreFoundAsDocumented() {
        long[] numbers = {0, 0, 1, 2, 0, 1, 3, 4, 0, 0, 0, 0};
        Tensor made = fromVectors(VECTORS, numbers, 3, 4).run().getFirst();
        assertThat(made.shape()).isEqualTo(Shape.of(3));
        assertThat(made.strings()).containsExactly("a", "d", "unknown_word");
        String single = "a\t0\nb\t2\n";
        assertThat(fromVectors(single, new long[] {0, 2, 4}, 3).run().getFirst().strings())
                .containsExactly("a", "b", "unknown_word");
        assertThat(fromVectors(single, new long[] {0, 2}, 2, 1).run().getFirst().shape())
                .isEqualTo(Shape.of(2));
        assertThatThrownBy(() -> fromVectors(VECTORS, new long[6], 3, 2).run())
                .hasMessageContaining("those of its map have 4 numbers");
    }

    @Test
    void stringsAreReplacedByATable() {
        assertThat(mapped().run().getFirst().strings()).containsExactly("a", "excel", "ppt");
    }

    @Test
    void stringsHaveTheBucketsOfTensorFlow() {
        Tensor made = buckets().run().getFirst();
        assertThat(Arrays.copyOf(made.longs(), 6)).containsExactly(15, 11, 10, 21, 20, 21);
        OneNode none = new OneNode("StringToHashBucket", 1).input("a").input(longs(0));
        assertThatThrownBy(none::run).hasMessageContaining("one number of buckets");
    }

    @ParameterizedTest
    @CsvSource({
        "1, 3, 1, bc",
        "3, 1, -1, dc",
        "-2, 99, 1, ef",
        "0, -1, 2, ace",
        "9, -9, -2, fdb",
        "4, 2, 1, ''",
        "1, 9, 9223372036854775807, b",
        "3, -9, -9223372036854775808, d"
    })
    void stringsAreSlicedAsInPython(long start, long end, long step, String expected) {
        OneNode node = new OneNode("StringSlice", 1)
                .input("abcdef", "\ud83e\udd80bcdef")
                .input(longs(start, 1))
                .input(longs(end, 2))
                .input(longs(step, 1));
        assertThat(node.run().getFirst().strings()).containsExactly(expected, "b");
    }

    @Test
    void rowsBecomeDenseAndSparse() {
        Tensor rows = dense(new long[] {0, 2, 2, 5}, 1, 2, 3, 4, 5).run().getFirst();
        assertThat(rows.shape()).isEqualTo(Shape.of(3, 3));
        assertThat(rows.longs()).containsExactly(1, 2, -1, -1, -1, -1, 3, 4, 5);
        assertThatThrownBy(() -> dense(new long[] {0, 3}, 1, 2).run()).hasMessageContaining("row 1 begins at 3 of 2");
        assertThatThrownBy(() -> dense(new long[] {1, 0}, 1, 2).run()).hasMessageContaining("row 1 begins at 0");
        List<Tensor> sparse =
                new OneNode("RaggedTensorToSparse", 2).input(longs(0, 2, 2, 3)).run();
        assertThat(sparse.get(0).longs()).containsExactly(0, 0, 0, 1, 2, 0);
        assertThat(sparse.get(1).longs()).containsExactly(3, 2);
    }

    @Test
    void segmentsAreAddedUpAndFound() {
        Tensor sums = sums(new float[] {1, 2, 3, 4, 5, 6}, 0, 0, 1).run().getFirst();
        assertThat(sums.shape()).isEqualTo(Shape.of(2, 2));
        assertThat(sums.floats()).containsExactly(4, 6, 5, 6);
        assertThatThrownBy(() -> sums(new float[] {1, 2}, 0, 2).run())
                .hasMessageContaining("segment 2 follows segment 0");
        List<Tensor> runs = new OneNode("SegmentExtraction", 2)
                .input(Tensor.copyOf(new long[] {1, 1, 0, 0, 2, 2, 2, 3, 3, 3, 0, 5}, 1, 12))
                .run();
        assertThat(runs.get(0).shape()).isEqualTo(Shape.of(4, 2));
        assertThat(runs.get(0).longs()).containsExactly(0, 2, 4, 7, 7, 10, 11, 12);
        assertThat(runs.get(1).longs()).containsExactly(1, 2, 3, 5);
        List<Tensor> signs = new OneNode("NegPos", 2)
                .input(Tensor.copyOf(new float[] {-1, 0, 2}, 3))
                .run();
        assertThat(signs.get(0).floats()).containsExactly(-1, 0, 0);
        assertThat(signs.get(1).floats()).containsExactly(0, 0, 2);
    }

    @Test
    void piecesBecomeText() {
        assertThat(decoder(1, 3, 7, 2).run().getFirst().strings()).containsExactly("hello world");
        assertThat(decoder(3, 0).run().getFirst().strings()).containsExactly("hello \u2047 ");
        OneNode fairseq = decoder(0, 4, 8, 2).input(Tensor.copyOf(new boolean[] {true}, 1));
        assertThat(fairseq.run().getFirst().strings()).containsExactly("hello world");
        assertThatThrownBy(() -> decoder(99).run()).hasMessageContaining("id 99 of");
    }

    @Test
    void boxesAreDrawnInTheColoursOfTheirClasses() {
        Tensor drawn = boxes("XYXY", 1, 1, 2, 3, 9, 8, 0.9f, 4, 2, 3, 9, 8, 0.5f, 6)
                .run()
                .getFirst();
        byte[] pixels = drawn.segment().toArray(ValueLayout.JAVA_BYTE);
        assertThat(pixel(pixels, 2, 3)).as("the best box is red, and above").containsExactly(0, 0, -1);
        assertThat(pixel(pixels, 4, 5)).as("inside").containsExactly(7, 7, 7);
        assertThatThrownBy(() -> boxes("YXYX", 1, 1).run()).hasMessageContaining("mode 'YXYX'");
    }

    @ParameterizedTest
    @CsvSource({
        "2, 3, 9, 8, 1",
        "2, 3, 9, 8, 2",
        "2, 3, 9, 8, 3",
        "-4, 1.5, 6.4, 99, 4",
        "5, 5, 7, 11, 2",
        "0, 0, 15, 11, 3",
        "14, 2, 15, 9, 9",
        "6, 4, 6, 9, 1",
        "20, 4, 30, 9, 1"
    })
    void linesLieHalfOutsideTheBox(float left, float top, float right, float bottom, int thickness) {
        byte[] pixels = boxes("XYXY", thickness, 1, left, top, right, bottom, 0.9f, 1)
                .run()
                .getFirst()
                .segment()
                .toArray(ValueLayout.JAVA_BYTE);
        int[] x = {Math.clamp(Math.round(left), 0, 15), Math.clamp(Math.round(right), 0, 15)};
        int[] y = {Math.clamp(Math.round(top), 0, 11), Math.clamp(Math.round(bottom), 0, 11)};
        int room = Math.min(x[1] - x[0], y[1] - y[0]);
        int before = thickness < room ? thickness / 2 : 0;
        int behind = thickness < room ? thickness - before : 0;
        for (int i = 0; i < 16 * 12; i++) {
            int inX = Math.min(i % 16 - Math.max(0, x[0] - before), Math.min(15, x[1] + behind) - 1 - i % 16);
            int inY = Math.min(i / 16 - Math.max(0, y[0] - before), Math.min(11, y[1] + behind) - 1 - i / 16);
            int depth = Math.min(inX, inY);
            boolean isLine = room > 0 && depth >= 0 && depth < Math.min(thickness, room);
            assertThat(pixel(pixels, i % 16, i / 16))
                    .as("x %d, y %d", i % 16, i / 16)
                    .isEqualTo(isLine ? new byte[] {0, 0, -1} : new byte[] {7, 7, 7});
        }
    }

    @Test
    void anImageWithoutPixelsHasNoBoxes() {
        Tensor drawn = new OneNode("com.microsoft.extensions", "DrawBoundingBoxes", 1)
                .input(Tensor.allocate(ElementType.UINT8, Shape.of(4, 0, 3)))
                .input(Tensor.copyOf(new float[] {0, 0, 3, 3, 0.9f, 1}, 1, 6))
                .run()
                .getFirst();
        assertThat(drawn.shape()).isEqualTo(Shape.of(4, 0, 3));
    }

    private static byte[] pixel(byte[] pixels, int x, int y) {
        return Arrays.copyOfRange(pixels, (y * 16 + x) * 3, (y * 16 + x) * 3 + 3);
    }
}
