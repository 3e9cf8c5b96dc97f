package dev.millrace.kernels.attention;

import dev.millrace.codegen.program.CompiledKernel;
import dev.millrace.codegen.program.Memory;

/** The rows of one head of keys or values at a time, as floats. */
sealed interface RowReader {
    /** Turns to a head. */
    void head(int batch, int head);

    /** Returns the pointer to rows, which is valid until the next call. */
    long rows(int first, int count);

    /** The distance of rows in bytes. */
    long stride();

    /** The largest number of rows that are read at a time. */
    int most();

    /** @param scratch the pointer to memory for as many rows as a block has keys */
    static RowReader of(KeyRows rows, AttentionKernelTable kernels, Memory memory, long scratch, int blockKeys) {
        return switch (rows) {
            case HeadRows floats -> new InPlace(floats, memory);
            case StoredRows stored -> new Converted(stored, kernels.reading(stored.type()), memory, scratch, blockKeys);
        };
    }

    /** Floats, which are read where they lie. */
    final class InPlace implements RowReader {
        private final HeadRows rows;
        private final long base;
        private long head;

        private InPlace(HeadRows rows, Memory memory) {
            this.rows = rows;
            base = memory.pointer(rows.data());
        }

        @Override
        public void head(int batch, int number) {
            head = base + rows.offset(batch, number, 0);
        }

        @Override
        public long rows(int first, int count) {
            return head + first * stride();
        }

        @Override
        public long stride() {
            return Float.BYTES * rows.rowStride();
        }

        @Override
        public int most() {
            return Integer.MAX_VALUE;
        }
    }

    /** Stored rows, which are converted to scratch memory. */
    final class Converted implements RowReader {
        private final StoredRows rows;
        private final CompiledKernel reading;
        private final Memory memory;
        private final long scratch;
        private final int most;
        private final long base;
        private long head;
        private int number;

        private Converted(StoredRows rows, CompiledKernel reading, Memory memory, long scratch, int most) {
            this.rows = rows;
            this.reading = reading;
            this.memory = memory;
            this.scratch = scratch;
            this.most = most;
            base = memory.pointer(rows.data());
        }

        @Override
        public void head(int batch, int headNumber) {
            head = base + rows.offset(batch, headNumber, 0);
            number = headNumber;
        }

        @Override
        public long rows(int first, int count) {
            rows.read(reading, memory, head + first * rows.rowBytes(rows.depth()), number, scratch, count);
            return scratch;
        }

        @Override
        public long stride() {
            return Float.BYTES * rows.depth();
        }

        @Override
        public int most() {
            return most;
        }
    }
}
