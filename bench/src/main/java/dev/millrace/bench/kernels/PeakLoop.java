package dev.millrace.bench.kernels;

import dev.millrace.codegen.program.Address;
import dev.millrace.codegen.program.BinaryOp;
import dev.millrace.codegen.program.Constant;
import dev.millrace.codegen.program.DotOp;
import dev.millrace.codegen.program.Program;
import dev.millrace.codegen.program.ProgramBuilder;
import dev.millrace.codegen.program.ScalarVar;
import dev.millrace.codegen.program.Target;
import dev.millrace.codegen.program.VectorVar;

/**
 * The kernel f(memory, out, rounds): {@code rounds} rounds of {@value #STEPS} steps of one kind,
 * then one vector to {@code out}.
 */
final class PeakLoop {
    /** The number of steps in a round. */
    static final int STEPS = 24;
    /**
     * The number of chains of dependent steps: they hide a latency of five at two per cycle, and
     * leave two registers of 16.
     */
    private static final int CHAINS = 12;

    /** The kind of a step. */
    enum Kind {
        /** Multiplies and adds fp32 numbers in registers. */
        MULTIPLY_ADD,
        /** The widest sum of products of bytes that the machine has one instruction for, in registers. */
        BYTE_PRODUCTS,
        /** Reads memory from its start to its end, a vector in each step. */
        READ
    }

    private PeakLoop() {}

    static Program program(Kind kind, Target target) {
        ProgramBuilder builder = new ProgramBuilder("peak of " + kind, target);
        ScalarVar memory = builder.parameter("memory");
        ScalarVar out = builder.parameter("out");
        ScalarVar rounds = builder.parameter("rounds");
        VectorVar factor = builder.vector("factor");
        builder.set(factor, Constant.ZERO);
        VectorVar[] chains = new VectorVar[CHAINS];
        for (int i = 0; i < CHAINS; i++) {
            chains[i] = builder.vector("chain");
            builder.set(chains[i], Constant.ZERO);
        }
        try (var _ = builder.loop(rounds, 1)) {
            for (int i = 0; i < STEPS; i++) {
                step(builder, kind, chains[i % CHAINS], factor, Address.at(memory, i * target.vectorBytes()));
            }
            builder.advance(memory, STEPS * target.vectorBytes());
        }
        for (int i = 1; i < CHAINS; i++) {
            builder.binary(chains[0], BinaryOp.OR, chains[0], chains[i]);
        }
        builder.store(Address.at(out, 0), chains[0]);
        return builder.build();
    }

    private static void step(ProgramBuilder builder, Kind kind, VectorVar chain, VectorVar factor, Address from) {
        switch (kind) {
            case MULTIPLY_ADD -> builder.accumulate(chain, factor, factor);
            case BYTE_PRODUCTS -> {
                if (builder.target().dots().contains(DotOp.U8S8)) {
                    builder.dot(DotOp.U8S8, chain, factor, factor);
                } else {
                    builder.binary(chain, BinaryOp.DOT_U8S8_SATURATED, chain, factor);
                }
            }
            case READ -> builder.binary(chain, BinaryOp.OR, chain, builder.load(from));
        }
    }
}
