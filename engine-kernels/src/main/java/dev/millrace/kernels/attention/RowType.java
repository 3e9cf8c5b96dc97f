package dev.millrace.kernels.attention;

import dev.millrace.codegen.key.KernelKey;
import dev.millrace.kernels.cast.ConvertFamily;
import dev.millrace.kernels.cast.NumberType;
import dev.millrace.kernels.quantise.Quantisation;
import dev.millrace.kernels.quantise.QuantisedType;
import org.jspecify.annotations.Nullable;

/** The type of the elements of stored rows. */
public enum RowType {
    F16(NumberType.F16, null),
    BF16(NumberType.BF16, null),
    /** Signed bytes that are multiplied by scales. */
    S8(NumberType.S8, QuantisedType.S8),
    /** Numbers of 4 bits, stored plus 8, that are multiplied by scales. A row ends with a whole byte. */
    U4(NumberType.U4, QuantisedType.U4);

    private static final int ZERO_OF_FOUR_BITS = 8;

    private final NumberType number;
    private final @Nullable QuantisedType quantised;

    RowType(NumberType number, @Nullable QuantisedType quantised) {
        this.number = number;
        this.quantised = quantised;
    }

    public boolean isScaled() {
        return quantised != null;
    }

    /** The number that is stored for zero. */
    public int zero() {
        return this == U4 ? ZERO_OF_FOUR_BITS : 0;
    }

    /** The size of a row in bytes. */
    public long bytes(long elements) {
        return number.bytes(elements);
    }

    KernelKey reading() {
        return quantised == null
                ? ConvertFamily.key(number, NumberType.F32, false)
                : Quantisation.rowsToFloats(quantised);
    }

    KernelKey writing() {
        return quantised == null
                ? ConvertFamily.key(NumberType.F32, number, false)
                : Quantisation.rowsOfFloats(quantised);
    }
}
