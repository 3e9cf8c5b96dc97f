package dev.millrace.kernels.quantise;

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

/** f(x, count, range): the least and the greatest of 0 and some floats, two floats. NaN is passed over. */
final class RangeOf implements KernelFamily {
    static final String NAME = "range";
    /** Enough chains to hide the latency of a comparison. */
    private static final int CHAINS = 4;

    static final KernelKey KEY = KernelKey.of(NAME);

    @Override
    public Program describe(KernelKey key, Target target) {
        key.onlyHas();
        int bytes = target.vectorBytes();
        ProgramBuilder builder = new ProgramBuilder(key.toString(), target);
        ScalarVar x = builder.parameter("x");
        ScalarVar count = builder.parameter("count");
        ScalarVar range = builder.parameter("range");
        VectorVar[] least = new VectorVar[CHAINS];
        VectorVar[] most = new VectorVar[CHAINS];
        for (int i = 0; i < CHAINS; i++) {
            least[i] = builder.vector("least");
            most[i] = builder.vector("most");
            builder.set(least[i], Constant.ZERO);
            builder.set(most[i], Constant.ZERO);
        }
        for (int chains : new int[] {CHAINS, 1}) {
            try (var _ = builder.loop(count, chains * target.lanes())) {
                for (int i = 0; i < chains; i++) {
                    VectorVar some = builder.load(Address.at(x, i * bytes));
                    builder.binary(least[i], BinaryOp.MIN, some, least[i]);
                    builder.binary(most[i], BinaryOp.MAX, some, most[i]);
                }
                builder.advance(x, chains * bytes);
            }
        }
        try (var _ = builder.ifNotZero(count)) {
            VectorVar some = builder.load(Address.at(x, 0), builder.prefixMask(count));
            builder.binary(least[0], BinaryOp.MIN, some, least[0]);
            builder.binary(most[0], BinaryOp.MAX, some, most[0]);
        }
        for (int i = 1; i < CHAINS; i++) {
            builder.binary(least[0], BinaryOp.MIN, least[i], least[0]);
            builder.binary(most[0], BinaryOp.MAX, most[i], most[0]);
        }
        builder.storeFirst(Address.at(range, 0), builder.reduce(BinaryOp.MIN, least[0]));
        builder.storeFirst(Address.at(range, 4), builder.reduce(BinaryOp.MAX, most[0]));
        return builder.build();
    }
}
