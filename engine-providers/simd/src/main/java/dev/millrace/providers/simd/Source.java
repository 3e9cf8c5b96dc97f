package dev.millrace.providers.simd;

import org.jspecify.annotations.Nullable;

/** Where a program's instruction reads a value from. */
record Source(Kind kind, int index) {
    /** The value of the product that an expression follows. */
    static final Source PRODUCT = new Source(Kind.PRODUCT, 0);

    /** What {@link #index} counts. The codes stand in programs that are kept. */
    enum Kind {
        INPUT(0),
        CONSTANT(1),
        /** The instructions before this one. */
        RESULT(2),
        PRODUCT(3);

        private final int code;

        Kind(int code) {
            this.code = code;
        }

        int code() {
            return code;
        }

        static @Nullable Kind ofCode(int code) {
            return switch (code) {
                case 0 -> INPUT;
                case 1 -> CONSTANT;
                case 2 -> RESULT;
                case 3 -> PRODUCT;
                default -> null;
            };
        }
    }

    static Source input(int index) {
        return new Source(Kind.INPUT, index);
    }

    static Source constant(int index) {
        return new Source(Kind.CONSTANT, index);
    }

    static Source result(int instruction) {
        return new Source(Kind.RESULT, instruction);
    }
}
