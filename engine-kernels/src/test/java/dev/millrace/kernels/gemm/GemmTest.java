package dev.millrace.kernels.gemm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.millrace.codegen.key.KernelKey;
import dev.millrace.kernels.Kernels;
import dev.millrace.kernels.call.Parallel;
import dev.millrace.kernels.expression.Expr;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class GemmTest {
    private static final Epilogue BIAS = Epilogue.of(true, Activation.NONE);

    private final Arena arena = Arena.ofConfined();
    private final MemorySegment four = arena.allocate(16, 4);
    private final MemorySegment result = arena.allocate(16, 4);
    private Kernels kernels = Kernels.shared();
    private Gemm gemm = kernels.gemm();
    private MemorySegment packed = four;

    @BeforeAll
    void open() {
        kernels = Kernels.open(System::getProperty);
        gemm = kernels.gemm();
        packed = arena.allocate(gemm.packedBytes(2, 2), 4);
    }

    @AfterAll
    void close() {
        kernels.close();
        arena.close();
    }

    private GemmProduct.Builder product() {
        return GemmProduct.builder(2, 2, 2, Matrix.rows(four, 2), Matrix.packed(packed));
    }

    private GemmProduct.Builder fitting() {
        return product().writing(Matrix.rows(result, 2));
    }

    @Test
    void windowsMayOverlap() {
        int m = 9;
        int n = 5;
        int k = 40;
        int stride = 3;
        MemorySegment signal = arena.allocate(4L * ((m - 1) * stride + k), 4);
        for (int i = 0; i < signal.byteSize() / 4; i++) {
            signal.setAtIndex(ValueLayout.JAVA_FLOAT, i, i % 7);
        }
        MemorySegment weights = arena.allocate(4L * k * n, 4);
        for (int i = 0; i < k * n; i++) {
            weights.setAtIndex(ValueLayout.JAVA_FLOAT, i, i % 5 - 2);
        }
        MemorySegment panels = arena.allocate(gemm.packedBytes(k, n), 4);
        gemm.pack(weights, n, k, n, panels);
        MemorySegment c = arena.allocate(4L * m * n, 4);
        gemm.run(
                GemmProduct.builder(m, n, k, Matrix.windows(signal, stride), Matrix.packed(panels))
                        .writing(Matrix.rows(c, n))
                        .build(),
                Parallel.NONE);
        for (int row = 0; row < m; row++) {
            for (int column = 0; column < n; column++) {
                float sum = 0;
                for (int i = 0; i < k; i++) {
                    sum += (row * stride + i) % 7 * ((i * n + column) % 5 - 2);
                }
                assertEquals(sum, c.getAtIndex(ValueLayout.JAVA_FLOAT, row * n + column));
            }
        }
        assertRefused(
                "A needs",
                () -> GemmProduct.builder(m + 1, n, k, Matrix.windows(signal, stride), Matrix.packed(panels))
                        .writing(Matrix.rows(arena.allocate(4L * (m + 1) * n, 4), n))
                        .build());
    }

    @Test
    void operandsThatDoNotFitAreRefused() {
        gemm.run(fitting().build(), Parallel.NONE);
        assertRefused("A needs 6", () -> GemmProduct.of(four, packed, result, 3, 2, 2));
        assertRefused("A needs", () -> GemmProduct.of(four, packed, result, Long.MAX_VALUE / 2, 2, 2));
        assertRefused(
                "A is packed",
                () -> GemmProduct.builder(2, 2, 2, Matrix.packed(four), Matrix.packed(packed))
                        .build());
        assertRefused(
                "B needs 4",
                () -> GemmProduct.builder(2, 2, 2, Matrix.rows(four, 2), Matrix.columns(four.asSlice(4), 2))
                        .build());
        assertRefused("C needs 4", () -> GemmProduct.of(four, packed, result.asSlice(4), 2, 2, 2));
        assertRefused("C is read-only", () -> GemmProduct.of(four, packed, result.asReadOnly(), 2, 2, 2));
        assertRefused(
                "C is written by rows",
                () -> product().writing(Matrix.columns(result, 2)).build());
        GemmProduct unpacked = GemmProduct.of(four, four, result, 2, 2, 2);
        assertRefused("packed B needs", () -> {
            gemm.run(unpacked, Parallel.NONE);
            return unpacked;
        });
    }

    @Test
    void operandsOfTheEpilogueThatDoNotFitAreRefused() {
        assertRefused("0 are given", () -> fitting().then(BIAS, new Matrix[0]).build());
        assertRefused(
                "per COLUMN needs 2",
                () -> fitting().then(BIAS, four.asSlice(0, 4)).build());
        assertRefused(
                "per ELEMENT",
                () -> fitting()
                        .then(Epilogue.NONE.plus(EpilogueOperand.ELEMENT), Matrix.rows(four, 3))
                        .build());
        assertRefused(
                "bytes",
                () -> fitting()
                        .then(Epilogue.NONE.writing(Output.U8), new Matrix[0])
                        .accumulating(true)
                        .build());
        assertRefused("operand 2 of 1", () -> {
            Epilogue.of(Expr.input(2), List.of(EpilogueOperand.COLUMN));
            return fitting().build();
        });
    }

    @Test
    void aResultThatOverlapsAnOperandIsRefused() {
        assertRefused("C overlaps", () -> GemmProduct.of(four, packed, four, 2, 2, 2));
        assertRefused(
                "C overlaps", () -> fitting().then(BIAS, result.asSlice(8)).build());
        assertRefused(
                "C overlaps",
                () -> product()
                        .writing(Matrix.rows(result, 2), 1)
                        .writing(Matrix.rows(result, 2), 1)
                        .build());
    }

    @Test
    void columnsOfTheResultsMustBeAll() {
        assertRefused("other columns than 2", () -> product().build());
        assertRefused(
                "other columns than 2",
                () -> product().writing(Matrix.rows(result, 2), 1).build());
    }

    @Test
    void memoryThatMachineCodeCannotReadIsRefused() {
        assumeTrue(kernels.level().emitsMachineCode());
        MemorySegment heap = MemorySegment.ofArray(new float[4]);
        MemorySegment freed;
        try (Arena gone = Arena.ofConfined()) {
            freed = gone.allocate(16, 4);
        }
        assertFails("not the heap", GemmProduct.of(heap, packed, result, 2, 2, 2));
        assertFails("was freed", GemmProduct.of(freed, packed, result, 2, 2, 2));
    }

    @Test
    void aProductOverNothingStillHasItsEpilogue() {
        MemorySegment bias = arena.allocateFrom(ValueLayout.JAVA_FLOAT, -1, 2);
        GemmProduct product = GemmProduct.builder(2, 2, 0, Matrix.rows(four, 0), Matrix.rows(four, 2))
                .writing(Matrix.rows(result, 2))
                .then(Epilogue.of(true, Activation.RELU), bias)
                .build();
        gemm.run(product, Parallel.NONE);
        assertEquals(0, result.getAtIndex(ValueLayout.JAVA_FLOAT, 2));
        assertEquals(2, result.getAtIndex(ValueLayout.JAVA_FLOAT, 3));
    }

    @Test
    void theProductOfANaNIsNaNAndOfZerosAZero() {
        MemorySegment left = arena.allocateFrom(ValueLayout.JAVA_FLOAT, Float.NaN, 0, 0, 0);
        MemorySegment right = arena.allocateFrom(ValueLayout.JAVA_FLOAT, 1, 0, 0, Float.POSITIVE_INFINITY);
        GemmProduct product = GemmProduct.builder(2, 2, 2, Matrix.rows(left, 2), Matrix.rows(right, 2))
                .writing(Matrix.rows(result, 2))
                .then(Epilogue.of(false, Activation.RELU), new Matrix[0])
                .build();
        gemm.run(product, Parallel.NONE);
        assertEquals(Float.NaN, result.getAtIndex(ValueLayout.JAVA_FLOAT, 0));
        assertEquals(0, result.getAtIndex(ValueLayout.JAVA_FLOAT, 2));
        assertEquals(Float.NaN, result.getAtIndex(ValueLayout.JAVA_FLOAT, 3));
    }

    @Test
    void theByteOfANaNIsTheLeastOne() {
        MemorySegment left = arena.allocateFrom(ValueLayout.JAVA_FLOAT, Float.NaN, 0, 1, 0);
        MemorySegment right = arena.allocateFrom(ValueLayout.JAVA_FLOAT, 1, 0, 0, 1);
        MemorySegment one = arena.allocateFrom(ValueLayout.JAVA_FLOAT, 1);
        for (Output output : List.of(Output.U8, Output.S8)) {
            GemmProduct product = GemmProduct.builder(2, 2, 2, Matrix.rows(left, 2), Matrix.rows(right, 2))
                    .writing(Matrix.rows(result, 2))
                    .then(
                            Epilogue.NONE.quantised(EpilogueOperand.SINGLE, EpilogueOperand.SINGLE, output),
                            Matrix.rows(one, 1),
                            Matrix.rows(one, 1))
                    .build();
            gemm.run(product, Parallel.NONE);
            assertEquals((byte) output.least(), result.get(ValueLayout.JAVA_BYTE, 0));
            assertEquals(2, result.get(ValueLayout.JAVA_BYTE, 2));
        }
    }

    @Test
    void keysWithWrongEpiloguesNameWhatIsWrong() {
        KernelKey key = new GemmTile.Variant(2, 1, false, false, Epilogue.NONE).key();
        for (String wrong :
                List.of("epilogue=in1", "epilogue=one0", "epilogue=(sine in0)", "operands=table", "output=f16")) {
            String name = wrong.substring(0, wrong.indexOf('='));
            KernelKey bad = KernelKey.parse(key.toString().replaceFirst(name + "=[^,]*", wrong));
            Exception refusal = assertThrows(IllegalArgumentException.class, () -> kernels.describe(bad));
            assertTrue(refusal.toString().contains(name), refusal.getMessage());
        }
    }

    private void assertFails(String reason, GemmProduct product) {
        RuntimeException refusal = assertThrows(RuntimeException.class, () -> gemm.run(product, Parallel.NONE));
        assertTrue(refusal.toString().contains(reason), refusal.getMessage());
    }

    private static void assertRefused(String reason, Supplier<GemmProduct> product) {
        RuntimeException refusal = assertThrows(RuntimeException.class, product::get);
        assertTrue(refusal.toString().contains(reason), refusal.getMessage());
    }
}
