package dev.millrace.kernels.gemm;

import dev.millrace.kernels.call.CallChecks;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * The operands of {@code C = epilogue(A B)}, or {@code C = epilogue(C + A B)}, checked when it is built. A value that
 * can be run any number of times.
 */
public final class GemmProduct {
    private final long m;
    private final long n;
    private final long k;
    private final Matrix a;
    private final Matrix b;
    private final List<Part> parts;
    private final boolean accumulate;
    private final Epilogue epilogue;
    private final List<Matrix> operands;
    private final Batch batch;

    /** Some columns of the result, from {@code first} to before {@code end}. */
    record Part(Matrix c, long first, long end) {}

    private GemmProduct(Builder from) {
        m = from.m;
        n = from.n;
        k = from.k;
        a = from.a;
        b = from.b;
        parts = List.copyOf(from.parts);
        accumulate = from.accumulate;
        epilogue = from.epilogue;
        operands = List.copyOf(from.operands);
        batch = from.batch;
    }

    /**
     * A product of dense matrices, C being overwritten.
     *
     * @param packed B, packed by the same {@link Gemm} that is to run the product
     */
    public static GemmProduct of(MemorySegment a, MemorySegment packed, MemorySegment c, long m, long n, long k) {
        return builder(m, n, k, Matrix.rows(a, k), Matrix.packed(packed))
                .writing(Matrix.rows(c, n))
                .build();
    }

    /**
     * A product of m rows and n columns over k.
     *
     * @param a m rows of k elements, not packed
     * @param b k rows of n elements; packed by the same {@link Gemm} that is to run the product, or not
     */
    public static Builder builder(long m, long n, long k, Matrix a, Matrix b) {
        return new Builder(m, n, k, a, b);
    }

    /** Gathers what belongs to a product. */
    public static final class Builder {
        private final long m;
        private final long n;
        private final long k;
        private final Matrix a;
        private final Matrix b;
        private final List<Part> parts = new ArrayList<>();
        private boolean accumulate;
        private Epilogue epilogue = Epilogue.NONE;
        private List<Matrix> operands = List.of();
        private Batch batch = Batch.ONE;

        private Builder(long m, long n, long k, Matrix a, Matrix b) {
            this.m = m;
            this.n = n;
            this.k = k;
            this.a = a;
            this.b = b;
        }

        /** The result, all columns that there are after those of earlier calls. */
        public Builder writing(Matrix c) {
            return writing(c, n - written());
        }

        /** The next columns of the result. */
        public Builder writing(Matrix c, long columns) {
            long first = written();
            parts.add(new Part(c, first, first + columns));
            return this;
        }

        private long written() {
            return parts.isEmpty() ? 0 : parts.getLast().end();
        }

        /** Adds to what the result holds. */
        public Builder accumulating(boolean wanted) {
            accumulate = wanted;
            return this;
        }

        /** @param values its operands, in order: vectors and single numbers as matrices of any stride */
        public Builder then(Epilogue what, Matrix... values) {
            epilogue = what;
            operands = Arrays.asList(values);
            return this;
        }

        /** @param values its operands, in order, none of them a matrix */
        public Builder then(Epilogue what, MemorySegment... values) {
            epilogue = what;
            operands =
                    Arrays.stream(values).map(vector -> Matrix.rows(vector, 0)).toList();
            return this;
        }

        public Builder batch(Batch many) {
            batch = many;
            return this;
        }

        /**
         * The product.
         *
         * @throws IllegalArgumentException if the operands do not fit together, or the result overlaps one
         * @throws IndexOutOfBoundsException if an operand is smaller than the product needs
         */
        public GemmProduct build() {
            GemmProduct product = new GemmProduct(this);
            product.check();
            return product;
        }
    }

    public long m() {
        return m;
    }

    public long n() {
        return n;
    }

    public long k() {
        return k;
    }

    Matrix a() {
        return a;
    }

    Matrix b() {
        return b;
    }

    List<Part> parts() {
        return parts;
    }

    boolean accumulate() {
        return accumulate;
    }

    public Epilogue epilogue() {
        return epilogue;
    }

    List<Matrix> operands() {
        return operands;
    }

    Batch batch() {
        return batch;
    }

    private void check() {
        Batch last = batch.last();
        List<MemorySegment> read = new ArrayList<>();
        if (a.isPacked()) {
            throw new IllegalArgumentException("A is packed: only B can be");
        }
        read.add(CallChecks.slice("A", a.memory(), 4, withBatch(a.extent("A", m, k), last.a())));
        if (b.isPacked()) {
            read.add(b.memory());
        } else {
            read.add(CallChecks.slice("B", b.memory(), 4, withBatch(b.extent("B", k, n), last.b())));
        }
        checkOperands(read);
        if (parts.isEmpty() || parts.getLast().end() != n) {
            throw new IllegalArgumentException("the results have other columns than " + n);
        }
        for (Part part : parts) {
            checkResult(part, last, read);
        }
    }

    private void checkResult(Part part, Batch last, List<MemorySegment> read) {
        Matrix c = part.c();
        if (c.layout() != Matrix.Layout.ROWS) {
            throw new IllegalArgumentException("C is written by rows, not as " + c.layout());
        }
        long extent = withBatch(c.extent("C", m, part.end() - part.first()), last.c());
        MemorySegment written =
                CallChecks.slice("C", c.memory(), epilogue.output().bytes(), extent);
        CallChecks.writable("C", c.memory());
        for (MemorySegment other : read) {
            CallChecks.apart("C", written, "an operand", other);
        }
        read.add(written);
        if (accumulate && epilogue.output() != Output.F32) {
            throw new IllegalArgumentException("a product cannot be added to a C of bytes");
        }
    }

    private static long withBatch(long extent, long offset) {
        return extent == 0 ? 0 : Math.addExact(extent, offset);
    }

    private void checkOperands(List<MemorySegment> read) {
        List<EpilogueOperand> wanted = epilogue.operands();
        if (wanted.size() != operands.size()) {
            throw new IllegalArgumentException(
                    "the epilogue has " + wanted.size() + " operands, but " + operands.size() + " are given");
        }
        for (int i = 0; i < wanted.size(); i++) {
            String name = "operand " + (i + 1) + " of the epilogue, per " + wanted.get(i);
            Matrix operand = operands.get(i);
            long extent = switch (wanted.get(i)) {
                case COLUMN -> n;
                case ROW -> m;
                case SINGLE -> 1;
                case ELEMENT -> CallChecks.elements(name, m, n, operand.stride());
            };
            if (operand.layout() != Matrix.Layout.ROWS) {
                throw new IllegalArgumentException(name + " is read by rows, not as " + operand.layout());
            }
            read.add(CallChecks.slice(name, operand.memory(), 4, extent));
        }
    }
}
