package dev.millrace.bench.kernels;

/**
 * The work of one layer of a case.
 *
 * @param amount operations, or bytes that are read and written
 */
record LayerWork(double amount, Unit unit) {
    /** The unit of work, and so the peak of the machine that it is compared with. */
    enum Unit {
        /** Multiplications and additions of fp32 numbers. */
        FLOPS,
        /** Bytes that are read and written. */
        BYTES,
        /** Multiplications and additions of bytes. */
        INT8_OPS
    }

    static LayerWork flops(double amount) {
        return new LayerWork(amount, Unit.FLOPS);
    }

    static LayerWork bytes(double amount) {
        return new LayerWork(amount, Unit.BYTES);
    }

    static LayerWork int8(double amount) {
        return new LayerWork(amount, Unit.INT8_OPS);
    }
}
