package dev.millrace.kernels.intgemm;

import dev.millrace.codegen.key.KernelFamily;
import dev.millrace.codegen.key.KernelKey;
import dev.millrace.codegen.program.Address;
import dev.millrace.codegen.program.BinaryOp;
import dev.millrace.codegen.program.Constant;
import dev.millrace.codegen.program.Program;
import dev.millrace.codegen.program.ProgramBuilder;
import dev.millrace.codegen.program.ScalarVar;
import dev.millrace.codegen.program.Target;
import dev.millrace.codegen.program.UnaryOp;
import dev.millrace.codegen.program.VectorVar;

/**
 * f(panel, wide, vectors): spreads bytes with sign out to 16 bits, the second and fourth of each four in one vector,
 * the first and third in the next one.
 */
final class SpreadPanel implements KernelFamily {
    static final String NAME = "gemm.s8.spread";

    static KernelKey key() {
        return KernelKey.of(NAME);
    }

    @Override
    public Program describe(KernelKey key, Target target) {
        key.onlyHas();
        int bytes = target.vectorBytes();
        ProgramBuilder builder = new ProgramBuilder(key.toString(), target);
        ScalarVar panel = builder.parameter("panel");
        ScalarVar wide = builder.parameter("wide");
        ScalarVar vectors = builder.parameter("vectors");
        VectorVar odd = builder.unary(UnaryOp.COPY, Constant.ofBits(0x01000100));
        VectorVar even = builder.unary(UnaryOp.COPY, Constant.ofBits(0x00010001));
        try (var _ = builder.loop(vectors, 1)) {
            VectorVar all = builder.load(Address.at(panel, 0));
            builder.store(Address.at(wide, 0), builder.binary(BinaryOp.DOT_U8S8_SATURATED, odd, all));
            builder.store(Address.at(wide, bytes), builder.binary(BinaryOp.DOT_U8S8_SATURATED, even, all));
            builder.advance(panel, bytes);
            builder.advance(wide, 2 * bytes);
        }
        return builder.build();
    }
}
