package dev.millrace.codegen.program;

import org.jspecify.annotations.Nullable;

/** {@code base + index * scale + displacement}, in bytes. */
public record Address(ScalarVar base, @Nullable ScalarVar index, int scale, int displacement) {
    public Address {
        if (scale != 1 && scale != 2 && scale != 4 && scale != 8) {
            throw new IllegalArgumentException("an index is scaled by 1, 2, 4 or 8, not " + scale);
        }
    }

    public static Address at(ScalarVar base, int displacement) {
        return new Address(base, null, 1, displacement);
    }

    public static Address at(ScalarVar base, ScalarVar index, int scale, int displacement) {
        return new Address(base, index, scale, displacement);
    }

    public Address plus(int bytes) {
        return new Address(base, index, scale, Math.addExact(displacement, bytes));
    }

    @Override
    public String toString() {
        StringBuilder text = new StringBuilder("[").append(base);
        if (index != null) {
            text.append(" + ").append(index).append(scale == 1 ? "" : " * " + scale);
        }
        if (displacement != 0) {
            text.append(displacement < 0 ? " - " : " + ").append(Math.abs((long) displacement));
        }
        return text.append(']').toString();
    }
}
