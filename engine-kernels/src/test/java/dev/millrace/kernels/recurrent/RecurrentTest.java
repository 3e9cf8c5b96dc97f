package dev.millrace.kernels.recurrent;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.millrace.kernels.Kernels;
import dev.millrace.kernels.call.Parallel;
import dev.millrace.kernels.expression.DataType;
import dev.millrace.kernels.expression.Expr;
import dev.millrace.kernels.expression.FloatFunction;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Collections;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Wrong uses are refused with a reason. */
class RecurrentTest {
    private static final Kernels KERNELS = Kernels.shared();
    private static final Expr TANH = Expr.input(0).apply(FloatFunction.TANH);
    private static final RnnStep.Variant PLAIN = new RnnStep.Variant(TANH, false);
    private static final RecurrentSizes SHAPE = new RecurrentSizes(2, 2, 3, 5, RecurrentSizes.Direction.FORWARD);

    private static Recurrent rnn(RnnStep.Variant... variants) {
        return Recurrent.rnn(KERNELS.set(), KERNELS.gemm(), List.of(variants), 0);
    }

    private static MemorySegment floats(long count) {
        return Arena.ofAuto().allocate(4 * count, 64);
    }

    private static void run(RecurrentCall call) {
        Recurrent layer = rnn(PLAIN);
        layer.run(call, floats(layer.scratchBytes(SHAPE) / 4), Parallel.NONE);
    }

    private static RecurrentCall call(@Nullable MemorySegment cell, int @Nullable [] lengths, MemorySegment y) {
        MemorySegment packed = floats(rnn(PLAIN).packedBytes(SHAPE) / 4);
        return new RecurrentCall(SHAPE, floats(12), packed, null, null, cell, lengths, y, null, null);
    }

    @Test
    void onlyAnLstmHasCells() {
        run(call(null, null, floats(20)));
        assertThatThrownBy(() -> run(call(floats(10), null, floats(20))))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("has no cells");
    }

    @Test
    void outputsMustBeLargeEnough() {
        assertThatThrownBy(() -> run(call(null, null, floats(19))))
                .isInstanceOf(IndexOutOfBoundsException.class)
                .hasMessageContaining("Y needs 20 elements");
    }

    @Test
    void lengthsMustBeThoseOfTheBatch() {
        assertThatThrownBy(() -> run(call(null, new int[] {1}, floats(20)))).hasMessageContaining("1 lengths");
        assertThatThrownBy(() -> run(call(null, new int[] {1, 3}, floats(20)))).hasMessageContaining("a length is 3");
    }

    @Test
    void thereIsAVariantForEachDirection() {
        assertThatThrownBy(() -> rnn()).hasMessageContaining("0 directions");
        assertThatThrownBy(() -> rnn(PLAIN, PLAIN).packedBytes(SHAPE)).hasMessageContaining("2 directions, not for 1");
    }

    @Test
    void bothDirectionsHaveTheSameParts() {
        GruVariant after = new GruVariant(TANH, TANH, false, true);
        GruVariant before = new GruVariant(TANH, TANH, false, false);
        assertThatThrownBy(() -> Recurrent.gru(KERNELS.set(), KERNELS.gemm(), List.of(after, before), 0))
                .hasMessageContaining("both directions differ");
    }

    @Test
    void withoutStepsTheStateStaysAndWithoutEntriesThereIsNone() {
        for (RecurrentSizes.Direction direction : RecurrentSizes.Direction.values()) {
            RecurrentSizes none = new RecurrentSizes(0, 2, 3, 5, direction);
            RecurrentSizes nobody = new RecurrentSizes(2, 0, 3, 5, direction);
            int count = none.directions();
            GruVariant variant = new GruVariant(TANH, TANH, false, true);
            Recurrent layer = Recurrent.gru(KERNELS.set(), KERNELS.gemm(), Collections.nCopies(count, variant), 0);
            MemorySegment packed = floats(layer.packedBytes(none) / 4);
            MemorySegment state = floats(10L * count);
            state.fill((byte) 63);
            MemorySegment last = floats(10L * count);
            var call = new RecurrentCall(
                    none, floats(0), packed, null, state, null, new int[] {0, 0}, floats(0), last, null);
            layer.run(call, floats(layer.scratchBytes(none) / 4), Parallel.NONE);
            assertThat(last.mismatch(state)).isEqualTo(-1);
            layer.run(
                    RecurrentCall.of(nobody, floats(0), packed, floats(0)),
                    floats(layer.scratchBytes(nobody) / 4),
                    Parallel.NONE);
        }
    }

    @Test
    void outputsOverlapNothing() {
        MemorySegment y = floats(20);
        assertThatThrownBy(() ->
                        run(RecurrentCall.of(SHAPE, y, floats(rnn(PLAIN).packedBytes(SHAPE) / 4), y)))
                .hasMessageContaining("Y overlaps X");
        assertThatThrownBy(() -> rnn(PLAIN).run(call(null, null, y), y, Parallel.NONE))
                .hasMessageContaining("the scratch needs");
    }

    @Test
    void aLastStateMayTakeThePlaceOfTheFirst() {
        MemorySegment packed = floats(rnn(PLAIN).packedBytes(SHAPE) / 4);
        packed.fill((byte) 60);
        MemorySegment y = floats(20);
        MemorySegment state = floats(10);
        state.fill((byte) 61);
        run(new RecurrentCall(SHAPE, floats(12), packed, null, state, null, null, y, state, null));
        assertThat(state.mismatch(y.asSlice(40))).isEqualTo(-1);
    }

    @Test
    void aBoundIsANumberFromZeroOn() {
        for (float clip : new float[] {Float.NaN, -1}) {
            assertThatThrownBy(() -> Recurrent.rnn(KERNELS.set(), KERNELS.gemm(), List.of(PLAIN), clip))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("clipped");
        }
    }

    @Test
    void anActivationReadsFloatsOf32Bits() {
        Expr halves = Expr.input(0, DataType.F16).apply(FloatFunction.TANH);
        assertThatThrownBy(() -> rnn(new RnnStep.Variant(halves, false)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("f reads more than its one input");
    }

    @Test
    void anActivationReadsOneInput() {
        assertThatThrownBy(() -> rnn(new RnnStep.Variant(TANH.plus(Expr.input(1)), false)))
                .hasMessageContaining("f reads more than its one input");
    }
}
