package dev.millrace.providers.cpu.sequence;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.Status;
import dev.millrace.graph.ir.Value;
import dev.millrace.graph.ir.ValueType;
import dev.millrace.graph.tensor.Datum;
import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.OptionalDatum;
import dev.millrace.graph.tensor.Shape;
import dev.millrace.graph.tensor.Tensor;
import dev.millrace.graph.tensor.TensorSequence;
import dev.millrace.providers.cpu.NestedBody;
import dev.millrace.providers.cpu.OneNode;
import java.util.Arrays;
import java.util.List;
import java.util.stream.LongStream;
import org.assertj.core.api.AbstractThrowableAssert;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class SequenceKernelsTest {
    private static final ValueType VECTOR = ValueType.tensor(ElementType.INT64, Shape.of(1));

    private static OneNode node(String name) {
        return OneNode.onnx(name, 18);
    }

    private static Tensor longs(long... values) {
        return Tensor.copyOf(values, values.length);
    }

    /** A sequence of a tensor for each number. */
    private static TensorSequence of(long... numbers) {
        return new TensorSequence(
                LongStream.of(numbers).mapToObj(each -> (Datum) longs(each)).toList());
    }

    private static List<Datum> elements(Datum sequence) {
        return ((TensorSequence) sequence).elements();
    }

    private static long[] numbers(Datum sequence) {
        return elements(sequence).stream()
                .mapToLong(each -> ((Tensor) each).longs()[0])
                .toArray();
    }

    private static long[] numbers(OneNode node, @Nullable Datum... inputs) {
        return numbers(node.runAll(inputs).getFirst());
    }

    private static AbstractThrowableAssert<?, ? extends Throwable> refused(OneNode node, @Nullable Datum... inputs) {
        return assertThatThrownBy(() -> node.runAll(inputs))
                .isInstanceOfSatisfying(
                        EngineException.class, e -> assertThat(e.status()).isEqualTo(Status.INVALID_ARGUMENT));
    }

    @Test
    void sequencesAreConstructedAndCounted() {
        assertThat(numbers(node("SequenceConstruct"), longs(3), longs(1), longs(2)))
                .containsExactly(3, 1, 2);
        assertThat(elements(node("SequenceEmpty").runAll().getFirst())).isEmpty();
        assertThat(node("SequenceLength").run(of(4, 5)).longs()).containsExactly(2);
        assertThat(node("SequenceLength").run(TensorSequence.of()).longs()).containsExactly(0);
        assertThat(node("SequenceLength").run(of(4)).shape()).isEqualTo(Shape.SCALAR);
    }

    @ParameterizedTest
    @CsvSource({"0, 7", "2, 9", "-1, 9", "-3, 7"})
    void positionsCountFromEitherEnd(long position, long number) {
        assertThat(node("SequenceAt").run(of(7, 8, 9), Tensor.scalar(position)).longs())
                .containsExactly(number);
    }

    @ParameterizedTest
    @CsvSource({"0, 5 7 8", "1, 7 5 8", "2, 7 8 5", "-1, 7 5 8", "-2, 5 7 8"})
    void anElementIsInsertedBeforeAPosition(long position, String expected) {
        assertThat(numbers(node("SequenceInsert"), of(7, 8), longs(5), Tensor.scalar(position)))
                .containsExactly(split(expected));
    }

    @Test
    void withoutAPositionTheLastElementIsMeant() {
        assertThat(numbers(node("SequenceInsert"), of(7, 8), longs(5))).containsExactly(7, 8, 5);
        assertThat(numbers(node("SequenceInsert"), TensorSequence.of(), longs(5)))
                .containsExactly(5);
        assertThat(numbers(node("SequenceErase"), of(7, 8, 9))).containsExactly(7, 8);
    }

    @ParameterizedTest
    @CsvSource({"0, 8 9", "1, 7 9", "-1, 7 8", "-3, 8 9"})
    void anElementIsErased(long position, String expected) {
        TensorSequence before = of(7, 8, 9);
        assertThat(numbers(node("SequenceErase"), before, Tensor.scalar(position)))
                .containsExactly(split(expected));
        assertThat(numbers(before)).containsExactly(7, 8, 9);
    }

    @ParameterizedTest
    @ValueSource(longs = {3, -4, Long.MAX_VALUE, Long.MIN_VALUE})
    void positionsOutsideAreRefused(long position) {
        Tensor at = Tensor.scalar(position);
        String message = "position " + position + " is outside of the sequence";
        refused(node("SequenceAt"), of(7, 8, 9), at).hasMessageContaining(message);
        refused(node("SequenceErase"), of(7, 8, 9), at).hasMessageContaining(message);
        refused(node("SequenceInsert"), of(7, 8), longs(5), at).hasMessageContaining(message);
    }

    @Test
    void nothingIsTakenOfAnEmptySequence() {
        refused(node("SequenceAt"), TensorSequence.of(), Tensor.scalar(0L)).hasMessageContaining("position 0");
        refused(node("SequenceErase"), TensorSequence.of(), Tensor.scalar(-1L))
                .hasMessageContaining("the sequence is empty");
        refused(node("SequenceErase"), TensorSequence.of()).hasMessageContaining("the sequence is empty");
        refused(node("ConcatFromSequence").with("axis", 0), TensorSequence.of())
                .hasMessageContaining("the sequence is empty");
    }

    @Test
    void anotherDatumIsNoSequence() {
        refused(node("SequenceLength"), longs(1)).hasMessageContaining("input 0 is no sequence");
        refused(node("ConcatFromSequence").with("axis", 0), TensorSequence.of(new OptionalDatum(longs(1))))
                .hasMessageContaining("the sequence holds other things than tensors");
    }

    @Test
    void elementsAreJoinedAlongAnAxisOrStackedOnANewOne() {
        Tensor a = Tensor.copyOf(new float[] {1, 2, 3, 4}, 2, 2);
        Tensor b = Tensor.copyOf(new float[] {5, 6}, 2, 1);
        Tensor joined = node("ConcatFromSequence").with("axis", -1).run(TensorSequence.of(a, b));
        assertThat(joined.shape()).isEqualTo(Shape.of(2, 3));
        assertThat(joined.floats()).containsExactly(1, 2, 5, 3, 4, 6);
        Tensor stacked = node("ConcatFromSequence")
                .with("new_axis", 1)
                .with("axis", -1)
                .run(TensorSequence.of(b, b.reshaped(b.shape())));
        assertThat(stacked.shape()).isEqualTo(Shape.of(2, 1, 2));
        assertThat(stacked.floats()).containsExactly(5, 5, 6, 6);
        refused(node("ConcatFromSequence").with("axis", 0), TensorSequence.of(a, b))
                .hasMessageContaining("along axis 0");
    }

    private static final Tensor WHOLE = Tensor.copyOf(new float[] {1, 2, 3, 4, 5, 6, 7, 8, 9, 10}, 2, 5);

    private static List<String> parts(OneNode node, @Nullable Datum... inputs) {
        return elements(node.runAll(inputs).getFirst()).stream()
                .map(each -> ((Tensor) each).shape() + Arrays.toString(((Tensor) each).floats()))
                .toList();
    }

    @Test
    void aTensorIsSplitIntoEqualPartsAndARest() {
        OneNode split = node("SplitToSequence").with("axis", -1);
        assertThat(parts(split, WHOLE, Tensor.scalar(2L)))
                .containsExactly("[2, 2][1.0, 2.0, 6.0, 7.0]", "[2, 2][3.0, 4.0, 8.0, 9.0]", "[2, 1][5.0, 10.0]");
        assertThat(parts(split, WHOLE, longs(1, 0, 4)))
                .containsExactly("[2, 1][1.0, 6.0]", "[2, 0][]", "[2, 4][2.0, 3.0, 4.0, 5.0, 7.0, 8.0, 9.0, 10.0]");
        assertThat(parts(split, WHOLE)).hasSize(5).contains("[2, 1][3.0, 8.0]");
        assertThat(parts(split.with("keepdims", 0), WHOLE)).hasSize(5).contains("[2][3.0, 8.0]");
        assertThat(parts(split, Tensor.allocate(ElementType.FLOAT, Shape.of(2, 0)), Tensor.scalar(2L)))
                .isEmpty();
    }

    @Test
    void textsAreSplitToo() {
        Tensor texts = Tensor.ofStrings(Shape.of(3), "a", "b", "c");
        List<Datum> parts = elements(
                node("SplitToSequence").runAll(texts, Tensor.scalar(2L)).getFirst());
        assertThat(((Tensor) parts.get(0)).strings()).containsExactly("a", "b");
        assertThat(((Tensor) parts.get(1)).strings()).containsExactly("c");
    }

    @Test
    void sizesThatAreNotThoseOfTheTensorAreRefused() {
        OneNode split = node("SplitToSequence").with("axis", 1);
        refused(split, WHOLE, Tensor.scalar(0L)).hasMessageContaining("parts of 0 steps");
        refused(split, WHOLE, Tensor.scalar(-2L)).hasMessageContaining("parts of -2 steps");
        refused(split, WHOLE, longs(4, 2)).hasMessageContaining("steps 4 to 6 of axis 1");
        refused(split, WHOLE, longs(6, -1)).hasMessageContaining("steps 0 to 6 of axis 1");
        refused(split, WHOLE, longs(2, 2)).hasMessageContaining("parts of 4 steps together where axis 1 has 5");
    }

    @Test
    void optionalsHoldADatumOrNothing() {
        Datum full = node("Optional").runAll(longs(6)).getFirst();
        Datum sequence = node("Optional").runAll(of(1, 2)).getFirst();
        assertThat(node("OptionalHasElement").run(full).booleans()).containsExactly(true);
        assertThat(node("OptionalHasElement").run(OptionalDatum.EMPTY).booleans())
                .containsExactly(false);
        assertThat(node("OptionalHasElement").run(longs(6)).booleans()).containsExactly(true);
        assertThat(node("OptionalHasElement").run().booleans()).containsExactly(false);
        assertThat(node("OptionalGetElement").run(full).longs()).containsExactly(6);
        assertThat(numbers(node("OptionalGetElement"), sequence)).containsExactly(1, 2);
        assertThat(node("SequenceLength").run(sequence).longs()).containsExactly(2);
        refused(node("OptionalGetElement"), OptionalDatum.EMPTY)
                .hasMessageContaining("the optional is empty; ask OptionalHasElement first");
    }

    /** Maps sums and differences over two inputs. */
    private static List<Datum> map(Datum first, Datum second) {
        var body = new NestedBody();
        Value x = body.input("x", VECTOR);
        Value y = body.input("y", VECTOR);
        body.gives(body.op("Add", x, y), VECTOR).gives(body.op("Sub", x, y), VECTOR);
        return node("SequenceMap").with("body", body.attribute()).outputs(2).runAll(first, second);
    }

    @Test
    void aBodyRunsForEachPositionWithWhatIsTheSameForAll() {
        List<Datum> withTensor = map(of(1, 2, 3), longs(10));
        assertThat(numbers(withTensor.get(0))).containsExactly(11, 12, 13);
        assertThat(numbers(withTensor.get(1))).containsExactly(-9, -8, -7);
        assertThat(numbers(map(of(1, 2), of(5, 7)).get(0))).containsExactly(6, 9);
        assertThat(map(TensorSequence.of(), of()).stream().map(SequenceKernelsTest::elements))
                .allMatch(List::isEmpty);
    }

    /** The first sequence says how many steps there are. */
    @Test
    void aSequenceThatEndsTooEarlyIsRefused() {
        assertThat(numbers(map(of(1, 2), of(5, 7, 9)).get(0))).containsExactly(6, 9);
        assertThatThrownBy(() -> map(of(1, 2), of(5)))
                .isInstanceOf(EngineException.class)
                .hasMessageContaining("sequences of 2 and 1 elements where one length is expected");
    }

    private static long[] split(String text) {
        return Arrays.stream(text.split(" ")).mapToLong(Long::parseLong).toArray();
    }
}
