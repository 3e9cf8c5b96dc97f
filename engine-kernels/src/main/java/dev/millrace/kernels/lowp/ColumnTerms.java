package dev.millrace.kernels.lowp;

import dev.millrace.codegen.key.KernelFamily;
import dev.millrace.codegen.key.KernelKey;
import dev.millrace.codegen.program.Address;
import dev.millrace.codegen.program.BinaryOp;
import dev.millrace.codegen.program.Constant;
import dev.millrace.codegen.program.Program;
import dev.millrace.codegen.program.ProgramBuilder;
import dev.millrace.codegen.program.ScalarVar;
import dev.millrace.codegen.program.Target;
import dev.millrace.codegen.program.VectorVar;

/**
 * The kernel f(packed, sums, turned, extremes, shape, fours): computes terms of the columns of a packed panel: for each
 * the sum of its elements, and 128 times the sum of the positive ones plus 127 times that of the others. shape is the
 * vectors of the panel | the bytes from quad to quad &lt;&lt; 32.
 *
 * <p>extremes holds four vectors, which the kernel updates: the largest sum of the positive elements of a pair, the
 * least sum of the negative ones, and the same two for the corresponding pairs of two consecutive quads together.
 */
final class ColumnTerms implements KernelFamily {
    static final String NAME = "gemm.s8.terms";

    static KernelKey key() {
        return KernelKey.of(NAME);
    }

    @Override
    public Program describe(KernelKey key, Target target) {
        key.onlyHas();
        return new Writer(key.toString(), target).program();
    }

    private static final class Writer {
        private final ProgramBuilder builder;
        private final WordBytes words;
        private final int bytes;
        private final VectorVar sum;
        private final VectorVar positive;
        private final VectorVar most;
        private final VectorVar least;
        private final VectorVar mostOfFours;
        private final VectorVar leastOfFours;

        Writer(String name, Target target) {
            builder = new ProgramBuilder(name, target);
            words = new WordBytes(builder);
            bytes = target.vectorBytes();
            sum = builder.vector("sum");
            positive = builder.vector("positive");
            most = builder.vector("most");
            least = builder.vector("least");
            mostOfFours = builder.vector("mostOfFours");
            leastOfFours = builder.vector("leastOfFours");
        }

        Program program() {
            ScalarVar packed = builder.parameter("packed");
            ScalarVar sums = builder.parameter("sums");
            ScalarVar turned = builder.parameter("turned");
            ScalarVar extremes = builder.parameter("extremes");
            ScalarVar shape = builder.parameter("shape");
            ScalarVar fours = builder.parameter("fours");
            ScalarVar vectors = builder.low(shape, "vectors");
            ScalarVar stride = builder.high(shape, "stride");
            VectorVar[] all = {most, least, mostOfFours, leastOfFours};
            for (int i = 0; i < all.length; i++) {
                builder.set(all[i], builder.load(Address.at(extremes, i * bytes)));
            }
            try (var _ = builder.loop(vectors, 1)) {
                builder.set(sum, Constant.ZERO);
                builder.set(positive, Constant.ZERO);
                ScalarVar from = builder.copy(packed, "from");
                ScalarVar left = builder.copy(fours, "left");
                try (var _ = builder.loop(left, 2)) {
                    for (int first = 0; first < 4; first += 2) {
                        WordBytes.Parts here = neighbours(Address.at(from, 0), first);
                        WordBytes.Parts next = neighbours(Address.at(from, stride, 1, 0), first);
                        together(
                                builder.binary(BinaryOp.INT_ADD, here.positive(), next.positive()),
                                builder.binary(BinaryOp.INT_ADD, here.negative(), next.negative()));
                    }
                    builder.advance(from, stride);
                    builder.advance(from, stride);
                }
                try (var _ = builder.ifNotZero(left)) {
                    for (int first = 0; first < 4; first += 2) {
                        WordBytes.Parts here = neighbours(Address.at(from, 0), first);
                        together(here.positive(), here.negative());
                    }
                }
                builder.store(Address.at(sums, 0), sum);
                VectorVar times = builder.binary(BinaryOp.INT_MUL, sum, Constant.ofBits(127));
                builder.store(Address.at(turned, 0), builder.binary(BinaryOp.INT_ADD, times, positive));
                builder.advance(packed, bytes);
                builder.advance(sums, bytes);
                builder.advance(turned, bytes);
            }
            for (int i = 0; i < all.length; i++) {
                builder.store(Address.at(extremes, i * bytes), all[i]);
            }
            return builder.build();
        }

        private void together(VectorVar positive, VectorVar negative) {
            builder.binary(mostOfFours, BinaryOp.INT_MAX, mostOfFours, positive);
            builder.binary(leastOfFours, BinaryOp.INT_MIN, leastOfFours, negative);
        }

        private WordBytes.Parts neighbours(Address at, int number) {
            VectorVar word = builder.load(at);
            VectorVar first = words.element(word, number);
            VectorVar second = words.element(word, number + 1);
            builder.binary(sum, BinaryOp.INT_ADD, sum, first);
            builder.binary(sum, BinaryOp.INT_ADD, sum, second);
            WordBytes.Parts parts = words.parts(first, second);
            builder.binary(positive, BinaryOp.INT_ADD, positive, parts.positive());
            builder.binary(most, BinaryOp.INT_MAX, most, parts.positive());
            builder.binary(least, BinaryOp.INT_MIN, least, parts.negative());
            return parts;
        }
    }
}
