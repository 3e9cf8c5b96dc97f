package dev.millrace.kernels.lowp;

import dev.millrace.codegen.key.KernelFamily;
import dev.millrace.codegen.key.KernelKey;
import dev.millrace.codegen.program.Address;
import dev.millrace.codegen.program.BinaryOp;
import dev.millrace.codegen.program.Constant;
import dev.millrace.codegen.program.Element;
import dev.millrace.codegen.program.MaskVar;
import dev.millrace.codegen.program.Program;
import dev.millrace.codegen.program.ProgramBuilder;
import dev.millrace.codegen.program.ProgramValue;
import dev.millrace.codegen.program.ScalarOp;
import dev.millrace.codegen.program.ScalarVar;
import dev.millrace.codegen.program.Target;
import dev.millrace.codegen.program.VectorVar;

/**
 * f(A, packed, fours, strides, rows): copies rows of bytes to the form of {@link PackedRow}, with their sums
 * where those are wanted.
 *
 * <p>fours counts whole words of a row of A; the rest of a row, 0 to 3 bytes, is a parameter of the kernel. strides is
 * that of A | that of packed rows &lt;&lt; 32, in bytes.
 */
final class PackRows implements KernelFamily {
    static final String NAME = "gemm.s8.rows";
    private static final int SIGNS = 0x80808080;
    private static final Constant LOW_NIBBLES = Constant.ofBits(0x0f0f0f0f);

    static KernelKey key(boolean split, boolean signed, int rest, boolean sums) {
        return KernelKey.of(NAME)
                .with("split", split ? 1 : 0)
                .with("signed", signed ? 1 : 0)
                .with("rest", rest)
                .with("sums", sums ? 1 : 0);
    }

    @Override
    public Program describe(KernelKey key, Target target) {
        key.onlyHas("split", "signed", "rest", "sums");
        boolean split = key.number("split", 0, 1) == 1;
        boolean signed = key.number("signed", 0, 1) == 1;
        int rest = key.number("rest", 0, 3);
        boolean sums = key.number("sums", 0, 1) == 1;
        return new Writer(key.toString(), target, split, signed, rest, sums).program();
    }

    private static final class Writer {
        private final ProgramBuilder builder;
        private final boolean split;
        private final boolean signed;
        private final int rest;
        private final boolean sums;
        private final int lanes;
        private final int bytes;
        private final VectorVar sum;
        private final VectorVar byteOnes;
        private final VectorVar wordOnes;

        Writer(String name, Target target, boolean split, boolean signed, int rest, boolean sums) {
            builder = new ProgramBuilder(name, target);
            this.split = split;
            this.signed = signed;
            this.rest = rest;
            this.sums = sums;
            lanes = target.lanes();
            bytes = target.vectorBytes();
            sum = builder.vector("sum");
            byteOnes = builder.vector("ones");
            wordOnes = builder.vector("ones");
        }

        Program program() {
            ScalarVar a = builder.parameter("a");
            ScalarVar packed = builder.parameter("packed");
            ScalarVar fours = builder.parameter("fours");
            ScalarVar strides = builder.parameter("strides");
            ScalarVar rows = builder.parameter("rows");
            ScalarVar lda = builder.low(strides, "lda");
            ScalarVar stride = builder.high(strides, "stride");
            if (sums) {
                builder.set(byteOnes, Constant.ofBits(0x01010101));
                builder.set(wordOnes, Constant.ofBits(0x00010001));
            }
            try (var _ = builder.loop(rows, 1)) {
                builder.set(sum, Constant.ZERO);
                ScalarVar from = builder.copy(a, "from");
                ScalarVar to = builder.copy(packed, "to");
                builder.advance(to, PackedRow.DATA);
                ScalarVar left = builder.copy(fours, "left");
                try (var _ = builder.loop(left, lanes)) {
                    write(to, unsigned(builder.load(Address.at(from, 0)), SIGNS));
                    builder.advance(from, bytes);
                }
                if (rest > 0) {
                    write(to, last(from, left));
                } else {
                    try (var _ = builder.ifNotZero(left)) {
                        write(to, last(from, left));
                    }
                }
                if (sums) {
                    builder.storeFirst(Address.at(packed, PackedRow.SUM), builder.reduce(BinaryOp.INT_ADD, sum));
                }
                builder.advance(a, lda);
                builder.advance(packed, stride);
            }
            return builder.build();
        }

        private VectorVar unsigned(VectorVar elements, int signs) {
            return signed ? builder.binary(BinaryOp.XOR, elements, Constant.ofBits(signs)) : elements;
        }

        /** Some whole words, then the rest of the row, byte by byte, then zeros. */
        private VectorVar last(ScalarVar from, ScalarVar left) {
            MaskVar whole = builder.prefixMask(left);
            VectorVar words = unsigned(builder.load(Address.at(from, 0), whole), SIGNS);
            if (rest == 0) {
                return builder.select(whole, words, Constant.ZERO);
            }
            VectorVar word = builder.broadcast(Element.U8, Address.at(from, left, 4, 0));
            for (int i = 1; i < rest; i++) {
                VectorVar next = builder.broadcast(Element.U8, Address.at(from, left, 4, i));
                VectorVar moved = builder.binary(BinaryOp.SHIFT_LEFT, next, Constant.ofBits(8 * i));
                word = builder.binary(BinaryOp.OR, word, moved);
            }
            word = unsigned(word, SIGNS >>> 32 - 8 * rest);
            ScalarVar oneMore = builder.copy(left, "oneMore");
            builder.scalar(oneMore, ScalarOp.ADD, oneMore, 1);
            ProgramValue afterWords = builder.select(builder.prefixMask(oneMore), word, Constant.ZERO);
            return builder.select(whole, words, afterWords);
        }

        private void write(ScalarVar to, VectorVar elements) {
            if (sums) {
                VectorVar ofPairs = builder.binary(BinaryOp.DOT_U8S8_SATURATED, elements, byteOnes);
                builder.binary(sum, BinaryOp.INT_ADD, sum, builder.binary(BinaryOp.DOT_S16, ofPairs, wordOnes));
            }
            if (!split) {
                builder.store(Address.at(to, 0), elements);
                builder.advance(to, bytes);
                return;
            }
            VectorVar first = builder.binary(BinaryOp.AND, elements, LOW_NIBBLES);
            VectorVar moved = builder.binary(BinaryOp.SHIFT_RIGHT, elements, Constant.ofBits(4));
            VectorVar second = builder.binary(BinaryOp.AND, moved, LOW_NIBBLES);
            builder.store(Address.at(to, 0), first);
            builder.store(Address.at(to, bytes), second);
            builder.advance(to, 2 * bytes);
        }
    }
}
